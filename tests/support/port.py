"""A counter step of a port, as its text stands in a shader or a C program, for the solver.

The text is one function: statements that give a name to a value, and a `return`. The names of types do not matter.
Operators are those of unsigned 32-bit words, with parentheses where languages disagree on their order.
"""

import re
from types import SimpleNamespace

from symbolic import Refuted, paths, prove, z3
from symbolic_numbers import Truth, Word, joined, words

TYPES = r"\b(?:let|var|const|unsigned int|unsigned|uint32_t|uint4|uvec4|uint|u32)\b(?=\s+\w)"
VECTOR = r"uvec4|vec4<u32>|vec4u|make_uint4|uint4|\(uint4\)"


def select(no, yes, condition):
    """WGSL's select: `yes` where the condition holds."""
    if not isinstance(condition, Truth):
        return yes if condition else no
    return Word(z3.If(condition.condition, *(z3.BitVecVal(value, 32) for value in (yes, no))), 32)


def function_of(text, name, fault=None):
    """The function of this name in the text of a program, as a Python function of words."""
    parameters, body = re.search(rf"\b{name}\s*\(([^)]*)\)[^{{]*{{(.*?)\n?}}", text, re.DOTALL).groups()
    parameters = [re.split(r"\s*:\s*|\s+", each.strip()) for each in parameters.split(",")]
    # WGSL writes the name first, C last.
    names = [each[0] if ":" in text.partition(name)[2].partition(")")[0] else each[-1] for each in parameters]
    body = re.sub(r"//.*", "", body)
    body = fault.change(body) if fault else body
    for old, new in [(r"\b(0x[0-9A-Fa-f]+|\d+)[uU]\b", r"\1"), (TYPES, ""), (VECTOR, "vector"), ("&&", " and ")]:
        body = re.sub(old, new, body)
    statements = [" ".join(statement.split()) for statement in body.split(";") if statement.strip()]
    source = f"def {name}({', '.join(names)}):\n" + "\n".join("    " + statement for statement in statements)
    word = lambda truth: select(0, 1, truth)  # noqa: E731
    scope = {"select": select, "uint": word, "u32": word, "vector": lambda *parts: parts}
    exec(source, scope)
    return scope[name]


def prove_step(step):
    """Raise Refuted, with a state to try, unless step(counter, blocks) is an addition modulo 2**128 for all words."""
    counter, (blocks,) = words("x y z w", 32), words("blocks", 32)
    vector = SimpleNamespace(**dict(zip("xyzw", counter)))
    for conditions, after in paths(lambda: step(vector, blocks)):
        try:
            prove(joined(after) == joined(counter) + z3.ZeroExt(96, blocks.value), *conditions)
        except Refuted as refuted:
            *state, moved = (refuted.model.eval(word.value, True).as_long() for word in (*counter, blocks))
            raise Refuted(f"wrong {moved} blocks after state {[*state, 0, 0]}", refuted.model) from None
