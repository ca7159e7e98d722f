"""The operator as a text for each of several languages, to copy into another program.

The texts are the files beside this module. Their constants come from dmlrand.philox and dmlrand.kernels.rules. A new
language is one more file, and one row of LANGUAGES. Clauses: specs/shaders.md.

>>> from dmlrand.shaders import LANGUAGES
>>> list(LANGUAGES)
['wgsl', 'hlsl', 'glsl', 'c', 'cuda', 'js']
"""

from __future__ import annotations

from importlib.resources import files
from string import Template
from typing import Any

from .. import philox
from ..drawing.arguments import check_choice
from ..kernels.rules import FRACTION_23, STEP_23

__all__ = ["LANGUAGES", "source"]

LANGUAGES = {
    "wgsl": "philox.wgsl",
    "hlsl": "philox.hlsl",
    "glsl": "philox.glsl",
    "c": "philox.c",
    "cuda": "philox.cu",
    "js": "philox.mjs",
}
"""The file of each language, beside this module."""


def source(language: str) -> str:
    """The complete text of the operator in one of LANGUAGES, with comments. `dmlrand shader` prints it.

    It has the words, the new state, and uniform float32 of a range, with the bits of dmlrand.random_generator and
    dmlrand.uniform. Not for cryptography.

    >>> source("c").splitlines()[0]
    "// DirectML's RandomGenerator operator (Philox4x32-10) in C99 and C++."
    """
    text = _text(LANGUAGES[check_choice(language, "language", LANGUAGES)])
    return text.substitute(_constants(), NOTICE=_notice())


def _constants() -> dict[str, Any]:
    """What the placeholders of the texts stand for: `$ROUNDS`, or `${M0}` before a letter."""
    words = {name: getattr(philox, name) for name in ("M0", "M1", "W0", "W1")} | {"FRACTION": int(FRACTION_23)}
    return {name: f"0x{word:X}" for name, word in words.items()} | {"ROUNDS": philox.ROUNDS, "STEP": float(STEP_23)}


def _notice() -> str:
    """The comment that all texts have: what must not be changed, and how to check a port."""
    answer = " ".join(f"{word:08x}" for word in philox.block((0, 0, 0, 0), (42, 0)))
    return "\n".join(f"// {line}".rstrip() for line in _text("notice.txt").substitute(ANSWER=answer).splitlines())


def _text(name: str) -> Template:
    return Template(files(__package__).joinpath(name).read_text(encoding="utf-8"))
