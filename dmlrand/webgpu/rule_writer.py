"""The rules of kernels/rules.py in WGSL: they run on values whose operators write statements of a shader.

A shader has no 64-bit types. A `u64` is held as vec2<u32>, lower half first. The only float64 of these rules is an
angle, which numbers.wgsl computes with integers.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from ..kernels import rules

# What an operator writes. Every other operator on a type writes itself.
_OPERATORS = {
    **{("f32", sign): f"exact({{0}} {sign} {{1}})" for sign in "+-*"},
    ("i32", ">>"): "{0} >> u32({1})",
    ("u64", "*"): "multiply_64({0}.x, {1}.x)",
    ("u64", ">>"): "vec2<u32>({0}.y, 0u)",  # by 32
    ("u64", "<"): "less_64({0}, {1})",
    ("f64", "*"): "angle(u32({1}))",  # TURN_23 * {1}: see kernels/normal_series.py
}
_CASTS = {
    ("u32", "u64"): "vec2<u32>({0}, 0u)",
    ("u64", "u32"): "{0}.x",
    ("i32", "f64"): "{0}",
    ("f64", "f32"): "{0}",
}
_TO_WORD = {"u32": "{0}", "f32": "bitcast<u32>({0})", "bool": "select(0u, 1u, {0})"}


class Kind:
    """A type of WGSL. It stands for the type of numpy that the rules call to convert values. Numbers stay numpy's."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, Value) or value.kind is self:
            return value
        return value.write(self, _CASTS.get((value.kind.name, self.name), f"{self.name}({{0}})"), value)

    def literal(self, value: Any) -> str:
        if self.name == "f32":
            return f"({float(value).hex()}f)"
        return f"{int(value)}{self.name[0]}"


U32, I32, F32, U64, F64, BOOL = map(Kind, ("u32", "i32", "f32", "u64", "f64", "bool"))


class Value:
    """A value in the shader, and the statements that compute it. An operator appends a statement to them."""

    __array_ufunc__ = None  # a number of numpy leaves its operators to this class

    def __init__(self, statements: list[str], kind: Kind, text: str) -> None:
        self.statements, self.kind, self.text = statements, kind, text

    def write(self, kind: Kind, template: str, *operands: Any) -> Value:
        """A value that is computed from operands: values, or numbers of this value's kind."""
        texts = [each.text if isinstance(each, Value) else self.kind.literal(each) for each in operands]
        name = f"t{len(self.statements)}"
        self.statements.append(f"let {name} = {template.format(*texts)};")
        return Value(self.statements, kind, name)

    def view(self, kind: Kind) -> Value:
        """The same bits as another type."""
        return self.write(kind, f"bitcast<{kind.name}>({{0}})", self)

    def apply(self, sign: str, left: Any, right: Any, kind: Kind | None = None) -> Value:
        template = _OPERATORS.get((self.kind.name, sign), f"{{0}} {sign} {{1}}")
        return self.write(kind or self.kind, template, left, right)

    def __neg__(self) -> Value:
        return self.write(self.kind, "bitcast<f32>(bitcast<u32>({0}) ^ 0x80000000u)", self)


# The operators of the rules.
for name, sign in {"add": "+", "sub": "-", "mul": "*", "and": "&", "rshift": ">>"}.items():
    setattr(Value, f"__{name}__", lambda self, other, sign=sign: self.apply(sign, self, other))
    setattr(Value, f"__r{name}__", lambda self, other, sign=sign: self.apply(sign, other, self))
for name, sign in {"lt": "<", "gt": ">", "ne": "!="}.items():
    setattr(Value, f"__{name}__", lambda self, other, sign=sign: self.apply(sign, self, other, BOOL))


def _where(condition: Value, chosen: Any, other: Any) -> Value:
    value: Value = chosen if isinstance(chosen, Value) else other
    return value.write(value.kind, "select({1}, {0}, {2})", chosen, other, condition)


@cache
def _functions() -> dict[str, Any]:
    """The functions of kernels/rules.py, with these types in place of those of numpy."""
    scope = vars(rules) | {"U32": U32, "I32": I32, "F32": F32, "U64": U64, "F64": F64, "where": _where}
    scope["sqrt"] = lambda value: value.write(F32, "root({0})", value)
    for name, function in vars(rules).items():
        if isinstance(function, FunctionType) and function.__module__ == rules.__name__:
            scope[name] = FunctionType(function.__code__, scope)
    return scope


def _parameters(statements: list[str], rule: rules.Rule) -> list[Value]:
    """The parameters of a rule, as fill.parameters holds them."""
    if rule.parameters is np.uint64:
        return [Value(statements, U64, "fill.parameters.xy")]
    kind = F32 if rule.parameters is np.float32 else U32
    return [Value(statements, U32, f"fill.parameters[{i}]").view(kind) for i in range(rule.parameter_count)]


@cache
def numbers_of(name: str) -> str:
    """The function numbers_of of a shader: the numbers of the words of a block, by this rule, as words."""
    rule = rules.RULES[name]
    statements: list[str] = []
    made: list[Value] = []
    words = [Value(statements, U32, f"words[{i}]") for i in range(4)]
    parameters = _parameters(statements, rule)
    for first in range(0, 4, rule.words):
        numbers = _functions()[name](*words[first : first + rule.words], *parameters)
        made += numbers if isinstance(numbers, tuple) else [numbers]
    result = ", ".join(_TO_WORD[number.kind.name].format(number.text) for number in made)
    body = "\n    ".join([*statements, f"return vec4<u32>({result});"])
    return f"\nfn numbers_of(words: vec4<u32>) -> vec4<u32> {{\n    {body}\n}}\n"
