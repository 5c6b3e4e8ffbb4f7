"""The language of definitions, as CPython runs it: elements, tensors and builtins, written from specs/README.md.

A definition is compiled as the Python that it is. Three things are changed before: the `return` of an output's function
says its line as well; lists are tuples, so that they compare with places and can be looked up as places; and a
comprehension in parentheses is the list that the language takes it for, but for `any` and `all`, which look at no more
than they need.

CPython is more lenient than the language: it takes integers of any length, numbers for truth values, and finds a NaN in
a list that holds the very same element.
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import Any, NamedTuple, NoReturn

import numpy as np

from opinions.elements import Array, ElementType, float_bits

Place = tuple[int, ...]
# What CPython raises where a definition can make nothing of a descriptor or of data.
FAULTS = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError)


class Open:
    """Why an element has no value. It is nothing that could be compared."""

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError("what is open has no value")

    __eq__ = __bool__ = _refuse
    __hash__ = None  # type: ignore[assignment]


UNDEFINED, UNSPECIFIED = Open("u"), Open("?")


class Integer(int):
    """An element of an integer or boolean type. It calculates as its value."""

    __slots__ = ()
    type: ElementType
    is_subnormal = False

    @property
    def bits(self) -> int:
        return int(self) % (1 << self.type.width)


class Float(float):
    """An element of a floating-point type. It compares by its value, and nothing is calculated with it."""

    __slots__ = ("bits", "is_subnormal")
    type: ElementType
    bits: int
    is_subnormal: bool

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError("floating-point elements are not calculated with")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = __bool__ = _refuse


Element = Integer | Float


@cache
def element_class(kind: ElementType) -> type[Any]:
    """The class of the elements of a data type."""
    return type("Element", (Float if kind.kind in ("f", "bf") else Integer,), {"__slots__": (), "type": kind})


def mantissa_bits(kind: ElementType) -> int:
    return 7 if kind.kind == "bf" else {16: 10, 32: 23, 64: 52}[kind.width]


def decoded(bits: Array, kind: ElementType) -> list[Element]:
    """Elements in logical order; those of the same bits are one object."""
    patterns, which = np.unique(bits.ravel(), return_inverse=True)
    of, numbers = element_class(kind), patterns.view(kind.number)
    if kind.kind == "bf":
        numbers = (patterns.astype(np.uint32) << 16).view(np.float32)
    elements = [of(number) for number in numbers.tolist()]
    if issubclass(of, Float):
        sign, least_normal = 1 << (kind.width - 1), 1 << mantissa_bits(kind)
        for element, pattern in zip(elements, patterns.tolist(), strict=True):
            element.bits, element.is_subnormal = pattern, 0 < pattern & ~sign < least_normal
    return list(map(elements.__getitem__, which.ravel().tolist()))


class Named(dict[Place, Element]):
    """A tensor by its name in a definition: `tensor[place]` is an element. An output has none."""

    def __init__(self, kind: ElementType, sizes: Place, strides: Sequence[int] | None, bits: Array | None) -> None:
        self.type, self.sizes = kind, sizes
        self.strides = tuple(strides or (math.prod(sizes[at + 1:]) for at in range(len(sizes))))
        super().__init__(() if bits is None else zip(self.places, decoded(bits, kind), strict=True))

    @cached_property
    def places(self) -> tuple[Place, ...]:
        return tuple(itertools.product(*map(range, self.sizes)))


def index(at: int, length: int) -> int:
    """The position that an index means, which counts from the end where it is negative."""
    if not -length <= at < length:
        raise LookupError(f"there is nothing at {at} among {length}")
    return at % length


def fits(of: Named, number: int) -> bool:
    kind, value = of.type, operator.index(number)
    if kind.kind in ("f", "bf"):
        return False
    bits = 1 if kind.kind == "boolean" else kind.width
    least = -(1 << (bits - 1)) if kind.kind == "i" else 0
    return least <= value < least + (1 << bits)


def subset(of: Named, place: Place, among: Sequence[int]) -> tuple[Place, ...]:
    if len(place) != len(of.sizes):
        raise LookupError(f"{place} is no place among {of.sizes}")
    ranges: list[Iterable[int]] = [(at,) for at in place]
    for dimension in among:
        at = index(dimension, len(ranges))
        ranges[at] = range(of.sizes[at])
    return tuple(itertools.product(*ranges))


def replaced(place: Place, dimension: int, coordinate: int) -> Place:
    at = index(dimension, len(place))
    return (*place[:at], operator.index(coordinate), *place[at + 1:])


def inserted(place: Place, dimension: int, coordinate: int) -> Place:
    at = index(dimension, len(place) + 1)
    return (*place[:at], operator.index(coordinate), *place[at:])


def removed(place: Place, dimension: int) -> Place:
    at = index(dimension, len(place))
    return place[:at] + place[at + 1:]


def flushed(element: Element) -> Element:
    if not element.is_subnormal:
        return element
    return decoded(np.array([element.bits & 1 << (element.type.width - 1)], element.type.pattern), element.type)[0]


def from_bits(of: Named, pattern: int) -> Element:
    return decoded(np.array([pattern], of.type.pattern), of.type)[0]


def is_integer(element: Element) -> bool:
    """Whether it is an integer of at most 128 bits."""
    return math.isfinite(element) and element == math.floor(element) and -(1 << 127) <= math.floor(element) < 1 << 127


def truncated(element: Element) -> int:
    whole = math.trunc(element)
    if not -(1 << 127) <= whole < 1 << 127:
        raise ValueError("this element is no integer of 128 bits")
    return whole


def nearest(of: Named, element: Element) -> Element:
    kind = of.type
    if kind.kind not in ("f", "bf") or not isinstance(element, Float) or math.isnan(element):
        raise ValueError("nothing of this type is nearest to that")
    bits = float_bits(repr(float(element)).replace("inf", ".inf"), kind, overflows=True)
    return decoded(np.array([bits], kind.pattern), kind)[0]


def valued(of: Named, number: Element | int) -> Element | None:
    """The element of a tensor's type that equals a number, if there is one."""
    kind = of.type
    if kind.kind not in ("f", "bf"):
        if isinstance(number, Float) and not is_integer(number) or not fits(of, int(number)):
            return None
        return decoded(np.array([int(number) % (1 << kind.width)]).astype(kind.pattern), kind)[0]
    try:
        wide = float(number)
    except OverflowError:
        return None
    if kind.kind == "bf":
        # The upper half of the bits of 32 is all there is.
        with np.errstate(over="ignore"):
            bits = int(np.array(wide, np.float32).view(np.uint32)) >> 16
    else:
        with np.errstate(over="ignore"):
            bits = int(np.array(wide).astype(kind.number).view(kind.pattern))
    element = decoded(np.array([bits], kind.pattern), kind)[0]
    return element if element == number else None


def from_value(of: Named, number: Element | int) -> Element:
    element = valued(of, number)
    if element is None:
        raise ValueError(f"no element of this type equals {number}")
    return element


BUILTINS: dict[str, Any] = {
    "sizes": lambda of: of.sizes, "strides": lambda of: of.strides, "rank": lambda of: len(of.sizes),
    "dimensions": lambda of: tuple(range(len(of.sizes))), "origin": lambda of: (0,) * len(of.sizes),
    "places": lambda of: of.places, "subset": subset, "fits": fits, "bit_width": lambda of: of.type.width,
    "from_bits": from_bits, "has_value": lambda of, number: valued(of, number) is not None, "from_value": from_value,
    "is_given": lambda of: of is not None, "is_integer": is_integer, "truncated": truncated, "nearest": nearest,
    "replaced": replaced, "inserted": inserted, "removed": removed,
    "is_nan": math.isnan, "is_infinite": math.isinf, "is_subnormal": operator.attrgetter("is_subnormal"), "flushed": flushed,
    "bits": operator.attrgetter("bits"), "len": len, "sum": sum,
    "accumulate": lambda numbers: tuple(itertools.accumulate(numbers)), "product": math.prod, "min": min, "max": max,
    "any": any, "all": all,
    "range": range, "enumerate": enumerate, "zip": zip, "sorted": sorted,
    "tuple": tuple, "undefined": UNDEFINED, "unspecified": UNSPECIFIED,
}


class Prepared(ast.NodeTransformer):
    """What is changed before a definition is compiled."""

    def __init__(self, outputs: Sequence[str]) -> None:
        self.outputs = outputs
        self.is_output = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.is_output = node.name in self.outputs
        return self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if self.is_output and node.value is not None:
            node.value = ast.Tuple([ast.Constant(node.lineno), node.value], ast.Load())
        return node

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        return ast.Tuple(node.elts, node.ctx)

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> ast.AST:
        self.generic_visit(node)
        return written_out(ast.ListComp(node.elt, node.generators))

    visit_GeneratorExp = visit_ListComp

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("any", "all") and isinstance(node.args[0], COMPREHENSIONS):
            node.args[0] = ast.GeneratorExp(node.args[0].elt, node.args[0].generators)
            self.generic_visit(node.args[0])
            return node
        self.generic_visit(node)
        return written_out(node) if name in ITERATORS else node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        # What is gone through at once need not be written out.
        if isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id in ITERATORS:
            self.generic_visit(node.iter)
            node.ifs = [self.visit(condition) for condition in node.ifs]
            return node
        return self.generic_visit(node)


COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)
ITERATORS = ("enumerate", "range", "sorted", "zip")


def written_out(node: ast.expr) -> ast.expr:
    """All items of what Python gives one by one."""
    return ast.Call(ast.Name("tuple", ast.Load()), [node], [])


class Output(NamedTuple):
    """The elements of an output: bits, 0 where there is no value, why there is none, and the lines that decided them."""

    bits: Array
    open: str  # `.` for an element that has a value
    lines: list[int]


def listed(tensors: Mapping[str, Named]) -> dict[str, Named | tuple[Named, ...]]:
    """The tensors by their names, and those of a list, `name[0]` and so on, as one tuple."""
    found: dict[str, Named | tuple[Named, ...]] = {}
    for name, tensor in tensors.items():
        of, bracket, _ = name.partition("[")
        found[of] = (*found.get(of, ()), tensor) if bracket else tensor
    return found


class Definition:
    """What an operator means."""

    def __init__(self, name: str, text: str, inputs: Sequence[str], outputs: Sequence[str], enumerators: Sequence[str],
                 levels: Sequence[str], sizes: Mapping[str, str]) -> None:
        # `sizes` names the value that is the list of an output's sizes, where they follow from the inputs.
        self.outputs, self.levels, self.sizes = outputs, levels, sizes
        # An input that is left out has a name all the same.
        self.names = {**BUILTINS, **{each: each for each in enumerators}, **dict.fromkeys(inputs)}
        tree = ast.fix_missing_locations(Prepared(outputs).visit(ast.parse(text, name)))
        self.statements = [(statement.name if isinstance(statement, ast.FunctionDef) else None,
                            compile(ast.Module([statement], []), name, "exec")) for statement in tree.body]

    def evaluate(self, tensors: Mapping[str, Named], attributes: Mapping[str, Any], level: str) -> dict[str, Output]:
        """All outputs at a level. Where nothing can be made of the descriptor or its data, one of `FAULTS` is raised."""
        asked = self.levels.index(level)
        known = listed(tensors)
        names: dict[str, Any] = {"__builtins__": {}, **self.names, **attributes, **known,
                                 "since": lambda first: self.levels.index(first) <= asked}
        functions = {}
        for name, code in self.statements:
            try:
                exec(code, names)
            except FAULTS:
                # A value is worked out where it is needed. Where this one is, its name will be missing.
                continue
            if name is not None and name in self.outputs:
                # Inside, the name of an output means the tensor.
                functions[name] = names.pop(name)
                names.update({name: known[name]} if name in known else {})
        try:
            for name, value in self.sizes.items():
                if name in tensors and names[value] != tensors[name].sizes:
                    raise ValueError(f"the sizes of {name} are {names[value]}, not {tensors[name].sizes}")
            found = {}
            for name in self.outputs:
                of = known.get(name, ())
                if isinstance(of, Named):
                    found[name] = output(functions[name], of)
                    continue
                found.update((f"{name}[{at}]", output(partial(functions[name], at), each)) for at, each in enumerate(of))
            return found
        finally:
            names.clear()  # Functions hold the names, and names the functions.


def output(function: Callable[[Place], tuple[int, Any]], of: Named) -> Output:
    """All elements of an output."""
    kind, element = of.type, element_class(of.type)
    mask, is_float = (1 << kind.width) - 1, issubclass(element, Float)
    bits, marks, lines = [], [], []
    for place in itertools.product(*map(range, of.sizes)):
        line, value = function(place)
        lines.append(line)
        mark = "."
        if type(value) is element:
            pattern = value.bits if is_float else value & mask
        elif isinstance(value, Open):
            pattern, mark = 0, value.mark
        elif fits(of, value) and (kind.kind == "boolean" or not isinstance(value, bool)):
            pattern = value & mask
        else:
            raise ValueError(f"{value} is no element of the type {kind.kind}{kind.width}")
        bits.append(pattern)
        marks.append(mark)
    return Output(np.array(bits, dtype=kind.pattern), "".join(marks), lines)
