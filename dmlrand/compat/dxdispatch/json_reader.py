"""JSON with comments, as DxDispatch reads it. Each value is stored with its path in the file, for error messages."""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ...arrays.integers import format_range
from ...files import error_text, quoted
from ...imports import extra_needed
from .opening import RefusedFileError, open_to_read

Value = TypeVar("Value")

_UNQUOTED_NAME = re.compile(r"\w+")
GUIDE_HINT = "The Guide's sample says InputTensor, which is an error in DxDispatch too: rename it to InputStateTensor."
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class ModelError(ValueError):
    """A model file breaks a rule. The message begins with the place in the file, such as commands[0].bindings.

    >>> print(Node(-1, "resources.State.sizeInBytes").error("must be positive", "Omit it."))
    resources.State.sizeInBytes must be positive; got -1. Omit it.
    """


@dataclass(frozen=True)
class Node:
    """A JSON value and its path in the file. A wrong value raises a ModelError that begins with the path."""

    value: Any
    path: str

    def error(self, rule: str, remedy: str = "") -> ModelError:
        """The error of this value: its path, the rule that it breaks, the value, the remedy."""
        return ModelError(f"{self.path or 'the model'} {rule}; got {_format(self.value)}.{remedy and ' ' + remedy}")

    def has(self, name: str) -> bool:
        return name in self.members()

    def get(self, name: str, default: Any) -> Node:
        """The member `name`, which has the value `default` if it is missing."""
        return Node(self.members().get(name, default), self._below(name))

    def need(self, name: str, remedy: str = "") -> Node:
        """The required member `name`."""
        if not self.has(name):
            raise ModelError(f"{self._below(name)} must be present; it is missing.{remedy and ' ' + remedy}")
        return self.get(name, None)

    def members(self) -> dict[str, Any]:
        return self._instance_of(dict, "an object")

    def named(self) -> Iterator[tuple[str, Node]]:
        """The names and values of all members."""
        for name, value in self.members().items():
            yield name, Node(value, self._below(name))

    def elements(self) -> list[Node]:
        values = self._instance_of(list, "an array")
        return [Node(value, f"{self.path}[{i}]") for i, value in enumerate(values)]

    def one_or_more(self) -> list[Node]:
        """The elements of an array, or the value itself."""
        return self.elements() if isinstance(self.value, list) else [self]

    def text(self) -> str:
        return self._instance_of(str, "a string")

    def boolean(self) -> bool:
        return self._instance_of(bool, "true or false")

    def integer(self, low: int = 0, high: int = 1 << 64) -> int:
        """An integer in [low, high). Neither 1.0 nor true is an integer."""
        if type(self.value) is not int or not low <= self.value < high:
            raise self.error(f"must be an integer {format_range(low, high)}")
        return self.value

    def enum(self, prefix: str, values: Iterable[str]) -> str:
        """One of `values`, with or without `prefix`. Returned without it."""
        known = tuple(values)
        short = self.text().removeprefix(prefix)
        if short not in known:
            raise self.error(f"must be {' or '.join(known)}" + (f", with or without {prefix}" if prefix else ""))
        return short

    def number(self, dtype: np.dtype[Any]) -> Any:
        """A number that `dtype` can hold. For a float type it may be "nan", "inf" or "-inf"."""
        if dtype.kind != "f":
            info = np.iinfo(dtype)
            return self.integer(int(info.min), int(info.max) + 1)
        if isinstance(self.value, str) and self.value.lower() in _NOT_FINITE:
            return _NOT_FINITE[self.value.lower()]
        rounded = _round(self.value, dtype) if type(self.value) in (int, float) else None
        if rounded is None:
            raise self.error(f'must be a number that {dtype.name} can hold, or "nan", "inf" or "-inf"')
        return rounded

    def _instance_of(self, kind: type[Value], name: str) -> Value:
        if not isinstance(self.value, kind):
            raise self.error(f"must be {name}")
        return self.value

    def _below(self, name: str) -> str:
        if not _UNQUOTED_NAME.fullmatch(name):
            return f"{self.path}[{_format(name)}]"
        return f"{self.path}.{name}" if self.path else name


def read_document(path: str | os.PathLike[str]) -> Node:
    """The root of a model file: JSON with comments and trailing commas."""
    with extra_needed("model files need", "python-rapidjson", "cli", module="rapidjson"):
        import rapidjson

    class Decoder(rapidjson.Decoder):  # type: ignore[misc]  # unknown to mypy if not installed
        # Pairs show a name that is given twice. A dict would keep the last one, DxDispatch uses the first one.
        def start_object(self) -> list[tuple[str, Any]]:
            return []

        def end_object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            members = dict(pairs)
            if len(members) < len(pairs):
                twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
                raise ModelError(
                    f"every name must be unique in its object; got {_format(twice)} more than once. Remove all but one."
                )
            return members

    # The default number mode is NM_NAN. With another one python-rapidjson 1.25 does not allow trailing commas. NM_NAN
    # accepts a bare NaN or Infinity; Node.number does not.
    decode = Decoder(parse_mode=rapidjson.PM_COMMENTS | rapidjson.PM_TRAILING_COMMAS)
    try:
        with open(path, encoding="utf-8-sig", opener=open_to_read) as file:
            return Node(decode(file.read()), "")
    except ModelError:
        raise
    except RefusedFileError as error:
        raise ModelError(f"the model file cannot be read: {error}") from None
    except OSError as error:
        remedy = "Name a file in this folder." if os.path.isdir(path) else "Check its name, folder and permissions."
        raise ModelError(f"the model file cannot be read ({error_text(error)}). {remedy}") from None
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{quoted(path)} must be JSON, which may have comments and trailing commas; {error}") from None


def _round(value: float, dtype: np.dtype[Any]) -> float | None:
    """A number rounded to `dtype`, or None if it is not finite there."""
    try:
        with np.errstate(over="ignore"):
            # A float16 is rounded to float32 first, as in DxDispatch.
            number = np.float32(value) if dtype.itemsize == 2 else float(value)
            rounded = float(np.array(number).astype(dtype))
    except OverflowError:
        return None
    return rounded if math.isfinite(rounded) else None


def _format(value: Any) -> str:
    """A value in a message: short and on one line."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"an array of {len(value)}"
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
