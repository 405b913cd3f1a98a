"""The statements of the language that programs are drawn from: one function or line a construct."""

from __future__ import annotations

from tests.fuzz.expressions import RULES
from tests.fuzz.grammar import KINDS, Form, Generator, Language, Variable, indented

# --------------------------------------------------------------------------------------------------------------------
# Assignments
# --------------------------------------------------------------------------------------------------------------------


def _target(g: Generator) -> Variable:
    """A variable that may be assigned."""
    numbers = [v for v in g.variables if v.kind in KINDS and not v.fixed]
    return g.random.choice(numbers) if numbers else Variable(g.fresh("v"), g.result_kind)


def _assign(g: Generator, depth: int) -> list[str]:
    target = _target(g)
    return [f"{target.name} = {g.anchored(target.kind, 2)}"]


def _define(g: Generator, depth: int) -> list[str]:
    kind = g.random.choice([g.result_kind, g.result_kind, "int", "float", "bool"])
    variable = Variable(g.fresh("v"), kind)
    lines = [f"{variable.name} = {g.anchored(kind, 2)}"]
    g.variables.append(variable)
    return lines


def _annotated(g: Generator, depth: int) -> list[str]:
    variable = Variable(g.fresh("v"), "int")
    lines = [f"{variable.name}: int = {g.expression('int', 2)}"]
    g.variables.append(variable)
    return lines


def _augment(g: Generator, depth: int) -> list[str]:
    target = _target(g)
    operators = {"int": ["+", "-", "//", "%", "&", "|", "^", ">>"], "float": ["+", "-", "*", "/", "//", "%"]}
    operator = g.random.choice(operators.get(target.kind, ["+"] if target.kind == "complex" else ["&", "|", "^"]))
    if operator == ">>":
        return [f"{target.name} >>= {g.expression('int', 1)} & 3"]
    return [f"{target.name} {operator}= {g.expression(target.kind, 1)}"]


def _augment_product(g: Generator, depth: int) -> list[str]:
    names = [v.name for v in g.variables if v.kind == "int" and not v.fixed]
    return [f"{g.random.choice(names)} *= {g.pick('2', '3', '-1', '7')}"] if names else ["pass"]


def _swap(g: Generator, depth: int) -> list[str]:
    names = [v.name for v in g.variables if v.kind == g.result_kind and not v.fixed]
    if len(names) < 2:
        return ["pass"]
    one, other = g.random.sample(names, 2)
    return [f"{one}, {other} = {other}, {one}"]


def _unpack(g: Generator, depth: int) -> list[str]:
    kind = g.result_kind
    one, other = Variable(g.fresh("v"), kind), Variable(g.fresh("v"), kind)
    value = g.random.choice(
        [f"{g.expression(kind, 1)}, {g.expression(kind, 1)}", f"divided({g.expression(kind, 1)}, 3)"]
    )
    g.variables += [one, other]
    return [f"{one.name}, {other.name} = {value}"]


def _unpack_nested(g: Generator, depth: int) -> list[str]:
    kind = g.result_kind
    names = [g.fresh("v") for _ in range(3)]
    values = [g.expression(kind, 1) for _ in names]
    g.variables += [Variable(name, kind) for name in names]
    return [f"({names[0]}, {names[1]}), {names[2]} = ({values[0]}, {values[1]}), {values[2]}"]


def _unpack_starred(g: Generator, depth: int) -> list[str]:
    first, rest = g.fresh("v"), g.fresh("rest")
    lines = [f"{first}, *{rest} = {g.expression('int', 1)}, {g.expression('int', 1)}, 7"]
    g.variables.append(Variable(first, "int"))
    return [*lines, f"{first} += {rest}[0]"]


def _several_targets(g: Generator, depth: int) -> list[str]:
    one, other = Variable(g.fresh("v"), g.result_kind), Variable(g.fresh("v"), g.result_kind)
    lines = [f"{one.name} = {other.name} = {g.expression(g.result_kind, 2)}"]
    g.variables += [one, other]
    return lines


def _another_type(g: Generator, depth: int) -> list[str]:
    """A variable that is of another type after one path of two."""
    target = _target(g)
    kind = {"int": "float", "float": "int", "bool": "int"}.get(target.kind, "float")
    return [f"if {g.expression('bool', 1)}:", f"    {target.name} = {g.expression(kind, 1)}"]


def _store(g: Generator, depth: int) -> list[str]:
    index = g.fill("{int}", 1)
    return g.random.choice(
        [
            [f"weights[{index} % 4] = {g.expression('float', 1)}"],
            [f"weights[{index} % 4] += {g.expression('float', 1)}"],
            [f"numbers[{index} % 4] = {g.expression('int', 0)} & 63"],
            [f"table[{index} % 5] = {g.expression('int', 1)}"],
            [f"matrix[{index} % 2, 1] = {g.expression('float', 1)}"],
        ]
    )


def _local_list(g: Generator, depth: int) -> list[str]:
    name, index = g.fresh("items"), g.fresh("v")
    kind = g.random.choice(["int", "float"])
    lines = [f"{name} = [{g.expression(kind, 1)}, {g.expression(kind, 1)}, {g.expression(kind, 0)}]"]
    lines += g.random.choice(
        [
            [f"{name}[{g.expression('int', 1)} % 3] = {g.expression(kind, 1)}"],
            [f"{name}.append({g.expression(kind, 1)})"],
            [f"{name}[0], {name}[2] = {name}[2], {name}[0]"],
            [f"{name}.sort()"],
            [],
        ]
    )
    g.variables.append(Variable(index, kind))
    return [*lines, f"{index} = {name}[{g.expression('int', 1)} % len({name})]"]


def _growing_list(g: Generator, depth: int) -> list[str]:
    name, result, counter = g.fresh("items"), g.fresh("v"), g.fresh("k")
    g.variables.append(Variable(counter, "int"))
    lines = [
        f"{name} = []",
        f"for {counter} in range({g.pick('3', '5')}):",
        f"    {name}.append({g.expression('int', 1)})",
    ]
    g.variables[-1] = Variable(result, "int")
    return [*lines, f"{result} = sum({name})"]


# --------------------------------------------------------------------------------------------------------------------
# Branches, matches and exceptions
# --------------------------------------------------------------------------------------------------------------------


def _if(g: Generator, depth: int) -> list[str]:
    return [f"if {g.expression('bool', 2)}:", *indented(g.block(depth - 1))]


def _if_else(g: Generator, depth: int) -> list[str]:
    return [*_if(g, depth), "else:", *indented(g.block(depth - 1))]


def _elif(g: Generator, depth: int) -> list[str]:
    lines = [*_if(g, depth), f"elif {g.expression('bool', 1)}:", *indented(g.block(depth - 1))]
    return [*lines, "else:", *indented(g.block(depth - 1))] if g.maybe(0.5) else lines


def _if_number(g: Generator, depth: int) -> list[str]:
    return [f"if {g.expression('number', 1)}:", *indented(g.block(depth - 1))]


def _return(g: Generator, depth: int) -> list[str]:
    return [f"if {g.expression('bool', 1)}:", f"    return {g.result(1)}"]


def _return_none(g: Generator, depth: int) -> list[str]:
    return [f"if {g.expression('bool', 1)}:", f"    return{g.pick('', ' None')}"]


def _return_another_type(g: Generator, depth: int) -> list[str]:
    kind = g.random.choice([kind for kind in ("int", "float", "bool") if kind != g.result_kind])
    return [f"if {g.expression('bool', 1)}:", f"    return {g.expression(kind, 1)}"]


def _raise(g: Generator, depth: int) -> list[str]:
    error = g.pick(
        "ValueError('a bad value')", "ValueError", "IndexError()", "ZeroDivisionError('none')", "KeyError(3)"
    )
    return [f"if {g.expression('bool', 2)}:", f"    raise {error}"]


def _assert(g: Generator, depth: int) -> list[str]:
    message = g.pick("", ", 'it holds'", f", {g.atom('int')}")
    return [f"assert {g.expression('bool', 2)}{message}"]


def _try(g: Generator, depth: int) -> list[str]:
    error = g.pick(
        "ZeroDivisionError",
        "ValueError",
        "(ZeroDivisionError, OverflowError)",
        "IndexError",
        "Exception",
        "ArithmeticError as error",
    )
    lines = ["try:", *indented(g.block(depth - 1)), f"except {error}:", *indented(g.block(depth - 1))]
    if g.maybe(0.2):
        lines += ["else:", *indented(g.block(depth - 1, 1))]
    if g.maybe(0.2):
        lines += ["finally:", *indented(g.block(depth - 1, 1))]
    return lines


def _match(g: Generator, depth: int) -> list[str]:
    subject, name = g.expression("int", 1), g.fresh("m")
    lines = [f"match {subject} % 4:", "    case 0:", *indented(indented(g.block(depth - 1)))]
    lines += g.random.choice([["    case 1 | 2:", *indented(indented(g.block(depth - 1)))], []])
    if g.maybe(0.5):
        before = list(g.variables)
        g.variables.append(Variable(name, "int"))
        lines += [f"    case {name} if {name} > {g.atom('int')}:", *indented(indented(g.block(depth - 1, 1)))]
        g.variables = before
    return [*lines, "    case _:", *indented(indented(g.block(depth - 1, 1)))]


def _nested_function(g: Generator, depth: int) -> list[str]:
    name, parameter, result = g.fresh("inner"), g.fresh("p"), g.fresh("v")
    kind = g.result_kind
    before = list(g.variables)
    g.variables.append(Variable(parameter, kind))
    body = [f"return {g.expression(kind, 2)}"]
    g.variables = before
    call = f"{result} = {name}({g.expression(kind, 1)})"
    g.variables.append(Variable(result, kind))
    return [f"def {name}({parameter}):", *indented(body), call]


# --------------------------------------------------------------------------------------------------------------------
# Loops
# --------------------------------------------------------------------------------------------------------------------


def _loop(g: Generator, header: str, bound: list[Variable], depth: int) -> list[str]:
    before = list(g.variables)
    g.variables += bound
    g.loops += 1
    body = g.block(depth - 1)
    g.loops -= 1
    g.variables = before
    return [header, *indented(body)]


def _for_range(g: Generator, depth: int) -> list[str]:
    name = g.fresh("k")
    n, m = g.atom("int"), g.atom("int")
    bounds = g.pick(
        "3", "1, 4", "5, 0, -2", "0", f"int({n}) % 4", f"2, int({n}) % 5", f"4, -1, int({n}) % 3 - 3", "-3, 3",
        f"int({n}) % 3, int({m}) % 5 + 2, 2", f"1, 9, int({n}) % 3", "len(table)",
    )  # fmt: skip
    lines = _loop(g, f"for {name} in range({bounds}):", [Variable(name, "int")], depth)
    if g.maybe(0.1):  # what the loop variable holds after the loop, if anything
        g.variables.append(Variable(name, "int"))
    return lines


def _for_array(g: Generator, depth: int) -> list[str]:
    name = g.fresh("e")
    array, kind = g.random.choice([("table", "int"), ("weights", "float"), ("numbers", "int"), ("levels", "float")])
    return _loop(g, f"for {name} in {array}:", [Variable(name, kind)], depth)


def _for_zip(g: Generator, depth: int) -> list[str]:
    one, other = g.fresh("e"), g.fresh("e")
    return _loop(
        g, f"for {one}, {other} in zip(table, weights):", [Variable(one, "int"), Variable(other, "float")], depth
    )


def _for_enumerate(g: Generator, depth: int) -> list[str]:
    one, other = g.fresh("k"), g.fresh("e")
    header = f"for {one}, {other} in enumerate({g.pick('weights', 'weights, 1', 'levels')}):"
    return _loop(g, header, [Variable(one, "int"), Variable(other, "float")], depth)


def _for_reversed(g: Generator, depth: int) -> list[str]:
    name = g.fresh("e")
    return _loop(g, f"for {name} in reversed({g.pick('table', 'range(4)')}):", [Variable(name, "int")], depth)


def _for_literal(g: Generator, depth: int) -> list[str]:
    name = g.fresh("e")
    items = ", ".join(g.expression("int", 1) for _ in range(3))
    return _loop(g, f"for {name} in {g.pick(f'[{items}]', f'({items})')}:", [Variable(name, "int")], depth)


def _for_slice(g: Generator, depth: int) -> list[str]:
    name = g.fresh("e")
    return _loop(g, f"for {name} in table[{g.pick('1:', ':3', '::-1', '::2')}]:", [Variable(name, "int")], depth)


def _while(g: Generator, depth: int) -> list[str]:
    counter = g.fresh("c")
    lines = _loop(
        g,
        f"while {counter} < {g.pick('3', '5')} and {g.expression('bool', 1)}:",
        [Variable(counter, "int", fixed=True)],
        depth,
    )
    lines.insert(1, f"    {counter} += 1")
    if not g.maybe(0.2):
        return [f"{counter} = 0", *lines]
    return [f"{counter} = 0", *lines, "else:", *indented(g.block(depth - 1, 1))]


def _for_else(g: Generator, depth: int) -> list[str]:
    name = g.fresh("k")
    lines = _loop(g, f"for {name} in range(4):", [Variable(name, "int")], depth)
    g.variables.append(Variable(name, "int"))
    leave = [f"    if {g.expression('bool', 1)}:", "        break"]
    g.variables.pop()
    return [lines[0], *leave, *lines[1:], "else:", *indented(g.block(depth - 1, 1))]


def _break(g: Generator, depth: int) -> list[str]:
    return [f"if {g.expression('bool', 1)}:", "    break"]


def _continue(g: Generator, depth: int) -> list[str]:
    return [f"if {g.expression('bool', 1)}:", "    continue"]


def _delete(g: Generator, depth: int) -> list[str]:
    name = g.fresh("v")
    return [f"{name} = {g.expression('int', 1)}", f"del {name}"]


FORMS = [
    Form("assignment", _assign, 5),
    Form("new variable", _define, 5),
    Form("annotated assignment", _annotated, 0.4),
    Form("augmented assignment", _augment, 5),
    Form("*= constant", _augment_product, 1),
    Form("swap", _swap, 1),
    Form("unpacking", _unpack, 1),
    Form("nested unpacking", _unpack_nested, 0.5),
    Form("several targets", _several_targets, 0.5),
    Form("if", _if, 4, compound=True),
    Form("if else", _if_else, 4, compound=True),
    Form("elif", _elif, 2, compound=True),
    Form("truth of a number", _if_number, 1.5, compound=True),
    Form("early return", _return, 2),
    Form("for over range", _for_range, 4, compound=True),
    Form("for over a captured array", _for_array, 1.5, compound=True),
    Form("for over zip", _for_zip, 0.7, compound=True),
    Form("for over enumerate", _for_enumerate, 0.7, compound=True),
    Form("while", _while, 2.5, compound=True),
    Form("for else", _for_else, 0.7, compound=True),
    Form("break", _break, 2, in_loop=True),
    Form("continue", _continue, 2, in_loop=True),
    Form("starred unpacking", _unpack_starred, core=False),
    Form("two types on two paths", _another_type, core=False),
    Form("return of two types", _return_another_type, core=False),
    Form("return of None", _return_none, core=False),
    Form("raise", _raise, core=False),
    Form("assert", _assert, core=False),
    Form("try", _try, 2, core=False, compound=True),
    Form("match", _match, 2, core=False, compound=True),
    Form("nested function", _nested_function, core=False),
    Form("store into a captured array", _store, core=False),
    Form("local list", _local_list, core=False),
    Form("list grown in a loop", _growing_list, core=False),
    Form("for over reversed", _for_reversed, core=False, compound=True),
    Form("for over a literal", _for_literal, core=False, compound=True),
    Form("for over a slice", _for_slice, core=False, compound=True),
    Form("del", _delete, 0.5, core=False),
]

LANGUAGE = Language(RULES, FORMS)
