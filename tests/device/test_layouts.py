"""Where the fields of structured arrays are read: in place or copied, in records of every shape, and by choice."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import hetc
from hetc.runtime.devices import Device
from hetc.runtime.opencl import cl
from tests.device.test_objects import SIZES

Array = np.ndarray[Any, np.dtype[Any]]

NUMBERS = {"a": "i1", "b": "f8", "c": "i2", "d": "f4", "e": "i8", "f": "i4", "g": "?"}
INNER = np.dtype([("u", "i1"), ("v", "f8")], align=True)
C_TYPES = {"i1": "char", "f8": "double", "i2": "short", "f4": "float", "i8": "long", "i4": "int", "?": "char"}


def strides(af: hetc.ArrayFunction, *inputs: Any) -> list[int]:
    """The strides of what a call marshals, in order of appearance."""
    lines = [line for line in af.lower(*inputs).plan().splitlines() if "Marshal(" in line]
    return [int(line.partition("stride=")[2].rstrip(")") or 1) for line in lines if "Unmarshal" not in line]


def filled(size: int, dtype: Any) -> Array:
    k = np.arange(size)
    array: Array = np.zeros(size, dtype)
    for place, name in enumerate(array.dtype.names or ()):
        if array.dtype[name].names is None:
            array[name] = k % 2 if array.dtype[name].kind == "b" else (k * (place + 2) - 50) % 101 - 50
    return array


def where_shared(device: Device, expected: list[int]) -> list[int]:
    """Strides where the device shares the host's memory; elsewhere all is copied."""
    return expected if device.traits.shared_memory else [1] * len(expected)


def total(e: Any) -> Any:
    return e["a"] + e["b"] * e["c"] - e["d"] + e["e"] * e["f"] + e["g"]


@pytest.mark.parametrize("align", [False, True])
def test_fields_in_every_order(device: Device, align: bool) -> None:
    """Wherever numbers lie in a record, in place or copied, they are NumPy's."""
    names = list(NUMBERS)
    orders = [names[k:] + names[:k] for k in range(len(names))] + [names[::-1]]
    for number, order in enumerate(orders):
        dtype = np.dtype([(name, NUMBERS[name]) for name in order], align=align)
        array = filled(257, dtype)[:: 1 + number % 2]
        with hetc.configure(device=device, offload="always", fallback="error", verify=True):
            af = hetc.map(total)
            assert (af(array) == np.array([total(e) for e in array])).all()
            # In packed records a byte can be anywhere, others only by chance.
            in_place = [stride > 1 for stride in strides(af, array)]
        if device.traits.shared_memory:
            assert all(in_place) if align else 2 <= sum(in_place) < len(NUMBERS)
        else:
            assert not any(in_place)


def test_aligned_records_are_structs_of_the_device(device: Device) -> None:
    """Aligned NumPy records have the size and offsets that the device's C gives to structs, in any order of fields."""
    orders = [*itertools.permutations(["i1", "f8", "i2", "f4"]), ("i8", "?", "i4"), ("?", "i8", "i4", "i1")]
    declared, rows = ["typedef struct { char u; double v; } inner;"], list[str]()
    dtypes: list[np.dtype[Any]] = []
    for number, order in enumerate(orders):
        fields = [(f"x{k}", kind) for k, kind in enumerate(order)] + [("rows", "i2", 3), ("p", INNER)]
        dtypes.append(np.dtype(fields, align=True))
        members = " ".join(f"{C_TYPES[kind]} x{k};" for k, kind in enumerate(order))
        declared.append(f"typedef struct {{ {members} short rows[3]; inner p; }} s{number};")
        places = [f"(int)((__global char *)&one->{name} - (__global char *)one)" for name in dtypes[-1].names or ()]
        rows.append(
            f"{{ __global s{number} *one = (__global s{number} *)out; const int at[] = {{ sizeof(s{number}), "
            f"{', '.join(places)} }}; for (int k = 0; k < {1 + len(places)}; ++k) *next++ = at[k]; }}"
        )
    body = "\n".join(rows)
    text = "\n".join([*declared, f"__kernel void report(__global int *out) {{ __global int *next = out;\n{body}\n}}"])
    expected = [n for t in dtypes for n in (t.itemsize, *(field[1] for field in (t.fields or {}).values()))]
    found = np.zeros(len(expected), np.int32)
    buffer = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, found.nbytes)
    with warnings.catch_warnings(action="ignore"):  # of what the compilers say
        program = cl.Program(device.context, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + text).build()
    cl.Kernel(program, "report")(device.queue, (1,), None, buffer)
    cl.enqueue_copy(device.queue, found, buffer)
    assert found.tolist() == expected


def test_the_access_decides(device: Device) -> None:
    records = filled(257, np.dtype(list(NUMBERS.items()), align=True))
    order = np.arange(257)[::-1].copy()

    def mixed(k: Any) -> Any:
        sum_ = 0.0
        for e in records:
            sum_ += e["d"]
        return records[order[k]]["b"] + records[k]["c"] * sum_

    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        af = hetc.map(mixed)
        for layout, expected in (("auto", [1, 1, 5, 20]), ("aos", [10, 1, 5, 20]), ("soa", [1, 1, 1, 1])):
            chosen = af.options(layout=layout)
            assert sorted(strides(chosen, range(257))) == where_shared(device, sorted(expected))
            assert chosen(range(257)) == [mixed(k) for k in range(257)]
        facts = str(af.explain(range(257)))
    if device.traits.shared_memory:
        assert "records_b is read in place, as array of structs: it is read at places that are data" in facts
        assert "records_d is read copied, as struct of arrays: all work-items read it in a loop" in facts
    with pytest.raises(ValueError, match="layout is"):
        af.options(layout="csr")


def test_strides_of_any_size(device: Device) -> None:
    def difference(e: Any) -> Any:
        return e["b"] - e["d"]

    af, dtype = hetc.map(difference), np.dtype(list(NUMBERS.items()), align=True)
    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        for size, step in itertools.product(SIZES, (1, 3, -2)):
            array = filled(size * abs(step), dtype)[::step]
            assert (af(array) == np.array([difference(e) for e in array])).all()
        odd = np.zeros(40 * 5 + 1, np.uint8)[1:].view(dtype)  # where no double may be
        odd["b"] = np.arange(5)
        assert strides(af, odd) == [1, 1]
        assert af(odd).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
        odd.flags.writeable = False
        aligned = np.array(odd)
        aligned.flags.writeable = False
        assert strides(af, aligned) == where_shared(device, [5, 10])
        assert af(aligned).tolist() == odd["b"].tolist()


def test_loops_read_in_place_what_they_do_not_store(device: Device) -> None:
    @hetc.jit
    def move(records: Any, order: Any) -> Any:
        for i in hetc.forall(len(records)):
            records[i]["b"] = records[order[i]]["d"] * 2 + records[i]["e"]

    dtype, order = np.dtype(list(NUMBERS.items()), align=True), np.arange(257)[::-1].copy()
    expected, found = filled(257, dtype), filled(257, dtype)
    expected["b"] = [expected["d"][k] * 2 + e for k, e in zip(order, expected["e"], strict=True)]
    with hetc.configure(device=device, offload="always", fallback="error", verify=True):
        for layout in ("auto", "soa"):
            move.options(layout=layout)(found, order)
            assert (found == expected).all()
