"""The kinds of things that hetc tells: each has a code that stays the same, what it means, and what to do about it.

The lowest leaf of the layer diagram. `docs/diagnostics.md` is written from this table; a code is never used again for
something else. Numbers up to 9 are about the language, from 10 on about types and values, from 20 on about what a call
brings, from 30 on about devices, from 40 on about hetc itself.
"""

from __future__ import annotations

from enum import Enum

from hetc.dataclass import dataclass


@dataclass(frozen=True)
class Diagnosis:
    """One row: `title` names the kind, `meaning` says why hetc cannot go on, `advice` what to change.

    `example` is code that has the kind, in which `hetc` and `np` are known; empty where it takes a
    certain device or a long function.
    """

    number: int
    title: str
    meaning: str
    advice: str
    example: str = ""


class Category(Enum):
    """What a `HetcError` or `FallbackWarning` is about.

    >>> Category.RECURSION.code
    'HETC0004'
    """

    CONSTRUCT = Diagnosis(
        1,
        "language construct",
        "The function uses a statement or expression of Python that hetc does not compile.",
        "Write the marked place with numbers, tuples, local variables, `if`, `while` and `for`; or leave the function "
        "to Python.",
        "hetc.map(lambda x: {x})([1])",
    )
    CALL = Diagnosis(
        2,
        "call of an unknown function",
        "The function calls something that is neither a Python function whose source is at hand, nor one of the "
        "builtins, `math` or NumPy functions that hetc knows.",
        "Call a function of `math` or NumPy that works on single numbers, or write the callee in Python.",
        "hetc.map(lambda x: ord(str(x)))([1])",
    )
    ARGUMENTS = Diagnosis(
        3,
        "arguments of a call",
        "The arguments of a call do not fit the function's parameters, or are passed in a way that is not compiled.",
        "Pass the arguments that the function takes, one by one.",
        "hetc.map(lambda x, y: x + y)([1])",
    )
    RECURSION = Diagnosis(
        4,
        "recursion",
        "The function calls itself, directly or through others. Devices have no call stack.",
        "Write the recursion as a loop.",
        "factorial = lambda n: n * factorial(n - 1) if n > 1 else 1\nhetc.map(factorial)([5])",
    )
    SOURCE = Diagnosis(
        5,
        "no source",
        "The function is not written in Python, or its source cannot be found, has been edited since it was loaded, or "
        "cannot be told from another function's on the same line.",
        "Define the function in a file or a notebook cell; reload a module after editing it.",
        'hetc.map(eval("lambda x: x + 1"))([1])',
    )
    NAME = Diagnosis(
        6,
        "name without a value on the device",
        "The function reads a name or attribute that has no value, or one that a device has no use for.",
        "Pass numbers, or arrays, lists and tuples of numbers; call a function instead of passing it on.",
        "hetc.map(lambda x: x.numbers)([1])",
    )
    NESTING = Diagnosis(
        7,
        "nested too deeply",
        "The function's expressions or statements are nested more deeply than the compiler can follow.",
        "Split the expressions into several statements.",
    )
    TYPES = Diagnosis(
        10,
        "types disagree",
        "A variable or result has more types than hetc follows, on the paths or in the iterations that lead to it.",
        "Give all paths the same type, for example with `float(...)` or `numpy.float32(...)`; start an accumulator "
        "with `0.0` if it becomes a float.",
    )
    OPERATION = Diagnosis(
        11,
        "operation on these types",
        "An operator or function is not compiled for the types that it meets in this call, or raises for all of them.",
        "Convert the operands to types that have the operation.",
        "hetc.map(lambda x: x & 1)([1.5])",
    )
    UNBOUND = Diagnosis(
        12,
        "variable that may have no value",
        "A variable is read that was not assigned on all paths that lead there.",
        "Assign the variable before the branch or loop.",
        "def late(n):\n    if n > 0:\n        y = n\n    return y\n\n\nhetc.map(late)([3, -1])",
    )
    CONTAINER = Diagnosis(
        13,
        "array or tuple in an unusual place",
        "An array or a tuple is used where hetc needs a number, or a number where it needs one of them.",
        "Index arrays down to their numbers; index tuples with a number that is written in the source.",
        "hetc.map(lambda x: x[0])([1])",
    )
    REDUCTION = Diagnosis(
        14,
        "reduction",
        "The operator of a reduction and its initial value do not fit the elements, so that partial results cannot be "
        "combined.",
        "Let the operator take and return one type; convert the elements with a map first, and start from a value of "
        "the same type.",
        'hetc.reduce(lambda a, b: a + b, "text")([1])',
    )
    INTEGER = Diagnosis(
        15,
        "integer too large",
        "An integer does not fit the 64 bits that integers have on a device.",
        "Use smaller integers, or floats; Python's own integers have no limit.",
        "hetc.map(lambda x: x)([2**70])",
    )
    GUARDS = Diagnosis(
        16,
        "guards that keep failing",
        "The function is compiled, but most elements of the last calls went back to Python, since a guard failed: an "
        "integer that left 64 bits, or a path that raises or is not compiled.",
        "Change what fails at the marked place, or the data. The function runs in Python for such data from now on.",
    )
    DEPENDENCE = Diagnosis(
        17,
        "iterations that depend on each other",
        "An iteration of a parallel loop may read or store what another one stores, or a variable goes from one "
        "iteration to the next, so that their order matters. Python runs them in order.",
        "Store to elements that are indexed by the loop's variables, and to arrays that do not overlap others; sum up "
        "with `s += ...`, or write a plain `range` loop.",
        "@hetc.jit\ndef f(a):\n    for i in hetc.prange(1, len(a)):\n        a[i] = a[i - 1]\n\n\nf(np.ones(9))",
    )
    NO_NUMBER = Diagnosis(
        18,
        "floats that are no numbers any more",
        "With `debug=True`: an operation has made a NaN or an infinity of numbers. The result is that of Python; the "
        "message names the first element of the call in which this happens at the place, and its values.",
        "See what the element's values have to do with it. `np.errstate` and filters of warnings do not change what is "
        "computed; a NaN that is meant to be there is one that comes with the data, or is written `math.nan`.",
    )
    INPUT = Diagnosis(
        20,
        "type of an input",
        "An input, or one of its elements, is of a type that hetc does not compile for.",
        "Pass arrays of numbers, ranges, or lists of numbers, tuples and objects; what is the same for all elements is "
        "a variable that the function reads, not an input.",
        'hetc.map(lambda x: x)(["text"])',
    )
    MIXED = Diagnosis(
        21,
        "elements of different types",
        "The elements of a list or tuple have several types, which hetc does not compile together.",
        "Convert the elements to one type, for example with `list(map(float, values))`.",
        "hetc.map(lambda x: x)([1, (2, 3)])",
    )
    CAPTURED = Diagnosis(
        22,
        "type of a captured variable",
        "The function reads a variable from outside whose value hetc does not compile for.",
        "Use numbers, arrays of one or two dimensions, and lists and tuples of numbers of one type.",
        'text = "text"\nhetc.map(lambda x: (x, text))([1])',
    )
    LENGTHS = Diagnosis(
        23,
        "inputs of different lengths",
        "Each input gives one element for each call of the function, so all must be equally long.",
        "Cut the inputs to one length.",
        "hetc.map(lambda x, y: x + y)([1], [1, 2])",
    )
    COUNT = Diagnosis(
        24,
        "number of inputs",
        "An array function was called without any input, or a reduction with several.",
        "Pass at least one input; zip several inputs before a reduction.",
        "hetc.map(lambda x: x)()",
    )
    USAGE = Diagnosis(
        25,
        "use of hetc's functions",
        "One of hetc's own functions was given something that it cannot work with.",
        "The message says what the function takes.",
        "hetc.reduce(lambda a, b: a + b, 0).map(lambda x: x)",
    )
    ERROR_STATE = Diagnosis(
        26,
        "numpy.errstate",
        "NumPy is set to raise, call, print or log where a floating-point operation fails. A device tells of none, so "
        "calls with NumPy's numbers or functions run in Python.",
        "Set NumPy to ignore or warn around the call: `with np.errstate(all='ignore')`; then the call gives NumPy's "
        "values, without a warning.",
        'with np.errstate(divide="raise"):\n    hetc.map(lambda x: 1 / x)(np.ones(3))',
    )
    BATCHES = Diagnosis(
        28,
        "call that has no batches",
        "An array function was to run batch by batch, since `.batched(...)` or a limit of memory asks for it, and its "
        "result cannot be put together from those of batches.",
        "Leave `.batched(...)` out; or split the composition, so that maps, reductions, scans and filters have the "
        "data that is too large.",
        'with hetc.configure(offload="always"):\n    hetc.gather([0]).batched()(np.ones(3))',
    )
    ORDER = Diagnosis(
        29,
        "order that Python tells",
        "A sort orders its elements by something that is no real number and no tuple of them: text, complex numbers, "
        "numbers of several types, or what is missing. Python sorts them.",
        "Sort by numbers of one type, for example with `key=float`.",
        'with hetc.configure(offload="always"):\n    hetc.sort()([1, 2.5])',
    )
    NO_DEVICE = Diagnosis(
        30,
        "no device",
        "There is no OpenCL device on this machine, or none that pyopencl finds.",
        "Install one for the CPU: `pip install 'hetc[cpu]'`. `hetc doctor` says what is wrong.",
    )
    UNKNOWN_DEVICE = Diagnosis(
        31,
        "unknown device",
        "A device was asked for, by `hetc.configure`, `.on` or the environment variable `HETC_DEVICE`, that is not "
        "there.",
        "`hetc devices` lists those that are.",
        'hetc.map(lambda x: x).on("no such device")([1])',
    )
    NO_FP64 = Diagnosis(
        32,
        "device without double precision",
        "The function computes in double precision, and the device cannot.",
        "Use arrays of `numpy.float32` and NumPy's functions: Python's floats and `math` are double precision.",
    )
    DEVICE = Diagnosis(
        33,
        "device refused",
        "The device, or its driver, reported an error while it built or ran a kernel; out of memory, for example.",
        "Give the device less data at a time, or choose another with `hetc.configure(device=...)`.",
    )
    DRIVER = Diagnosis(
        34,
        "driver that does not load",
        "Intel's OpenCL runtime was installed by pip, but the system cannot load it. Other devices are used.",
        "Install what the message names. `hetc doctor` tests each driver.",
    )
    INTERNAL = Diagnosis(
        40,
        "fault of hetc",
        "The compiler came to a state that it should not. The call runs in Python.",
        "Please report the function.",
    )
    EXTENSION = Diagnosis(
        41,
        "fault of an extension",
        "A package that extends hetc is not what its entry point promises: what it names is not there, or the place of "
        "a pass is not.",
        "Mend the package, or uninstall it; `hetc-opt --list-pipelines` shows the places.",
    )

    @property
    def code(self) -> str:
        """The code that messages begin with."""
        return f"HETC{self.value.number:04}"

    @property
    def remedy(self) -> str | None:
        """The advice, as the hint of a message that has none of its own; None where the message itself says it.

        >>> Category.RECURSION.remedy
        'write the recursion as a loop'
        """
        if self in (Category.USAGE, Category.INTERNAL):
            return None
        advice = self.value.advice.removesuffix(".").replace("`", "")
        return advice[0].lower() + advice[1:]

    @staticmethod
    def of(code: str) -> Category:
        """The category of a code. Raises KeyError if no category has it."""
        return {category.code: category for category in Category}[code]
