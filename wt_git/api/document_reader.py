"""Reading JSON documents with a promised shape: a member of the wrong type is refused by name.

Stored scores and traces, universes and conversations are read with it. A member may be absent where
it has a default, but one that is present must have the right type. The public API needs only the
standard library, so this reader is written by hand.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from wt_git.api.json_values import DEEPEST, INTEGER_BITS

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

_TEXT_SHOWN = 60
_INTEGER_BITS_SHOWN = 64
_KINDS: dict[type[object], str] = {list: "an array", dict: "an object"}


T = TypeVar("T")


class DocumentReader:
    """Reads the members of one JSON object by name and type.

    `where` names the object in messages. `error` is the exception for a source that is no object, a
    missing member without a default, and a member of another type.
    """

    def __init__(self, source: object, where: str, error: type[ValueError]) -> None:
        if not isinstance(source, Mapping):
            raise error(f"{where or 'the document'} must be an object, got {shown(source)}")
        self._source: Mapping[str, Any] = source
        self._where = where
        self._error = error

    def __contains__(self, name: str) -> bool:
        return name in self._source

    def optional(self, name: str, read: Callable[[str], T]) -> T | None:
        """Return the member as `read` does, or None when it is absent or null."""
        return None if self._source.get(name) is None else read(name)

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string."""
        return self._typed(name, self.anything(name, default), str, "a string")

    def filled_text(self, name: str) -> str:
        """Return a string that is not empty."""
        text = self._typed(name, self._source.get(name), str, "a non-empty string")
        return text or self._refuse(name, "a non-empty string", text)

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        """Return a boolean."""
        return self._typed(name, self.anything(name, default), bool, "a boolean")

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an integer."""
        return self._typed(name, self.anything(name, default), int, "an integer")

    def version(self, name: str, known: int) -> int:
        """Return the version of the document, which must be `known`."""
        version = self._typed(name, self._source.get(name), int, "a positive integer")
        if version < 1:
            self._refuse(name, "a positive integer", version)
        if version != known:
            raise self._error(
                f"unsupported {self.path(name)} {shown(version)}: this version reads {known}"
            )
        return version

    def number(self, name: str, default: float | None = None) -> float:
        """Return a number within the range of a float."""
        value = self.anything(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._refuse(name, "a number", value)
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            self._refuse(name, "a number that a float can hold", value)
        return value

    def mapping(self, name: str, default: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return an object."""
        return self._object(name, self.anything(name, default))

    def child(self, name: str, default: Mapping[str, Any] | None = None) -> DocumentReader:
        """Return a reader of the object under `name`."""
        return DocumentReader(self.anything(name, default), self.path(name), self._error)

    def children(self, name: str) -> list[DocumentReader]:
        """Return a reader for each object of the array under `name`, which must be present."""
        items = self._typed(name, self.anything(name), list, "an array")
        return [
            DocumentReader(item, self.path(f"{name}[{index}]"), self._error)
            for index, item in enumerate(items)
        ]

    def array(self, name: str) -> list[Any]:
        """Return a copy of an array of any items, empty when it is absent."""
        return [*self._typed(name, self.anything(name, []), list, "an array")]

    def mappings(self, name: str) -> list[dict[str, Any]]:
        """Return an array of objects, empty when it is absent."""
        items = enumerate(self.array(name))
        return [self._object(f"{name}[{index}]", item) for index, item in items]

    def texts(self, name: str) -> list[str]:
        """Return an array of strings, empty when it is absent."""
        items = enumerate(self.array(name))
        return [self._typed(f"{name}[{index}]", item, str, "a string") for index, item in items]

    def anything(self, name: str, default: object = None) -> Any:
        """Return a value of any type, null included; without a default it must be present."""
        if name in self._source:
            return self._source[name]
        if default is None:
            raise self._error(f"{self.path(name)} is missing")
        return default

    def json_value(self, name: str) -> Any:
        """Return a copy of any JSON value, which must be present."""
        return json_copy(self.anything(name), self.path(name), self._error)

    def json_object(self, name: str) -> dict[str, Any]:
        """Return a copy of an object of JSON values."""
        copy: dict[str, Any] = json_copy(self.mapping(name), self.path(name), self._error)
        return copy

    def without_falsy(self) -> DocumentReader:
        """Return a reader for which null, false, zero and empty values count as absent."""
        filled = {name: value for name, value in self._source.items() if value}
        return DocumentReader(filled, self._where, self._error)

    def path(self, name: str) -> str:
        """Return the name of the member `name` in messages."""
        return f"{self._where}.{name}" if self._where else name

    def _typed(self, name: str, value: object, kind: type[T], expected: str) -> T:
        # A bool is an int in Python, but no number in JSON.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self._refuse(name, expected, value)
        return value

    def _object(self, name: str, value: object) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            self._refuse(name, "an object", value)
        return dict(value)

    def _refuse(self, name: str, expected: str, value: object) -> NoReturn:
        raise self._error(f"{self.path(name)} must be {expected}, got {shown(value)}")


def shown(value: object) -> str:
    """Return `value` for a message; of a large or nested value only its kind."""
    if isinstance(value, str):
        return repr(value if len(value) <= _TEXT_SHOWN else value[:_TEXT_SHOWN] + "...")
    if isinstance(value, int) and value.bit_length() > _INTEGER_BITS_SHOWN:
        return "a huge integer"
    if value is None or isinstance(value, int | float):
        return json.dumps(value)
    return _KINDS.get(type(value), f"a {type(value).__name__}")


def json_copy(value: object, where: str, error: type[ValueError], *, level: int = 0) -> Any:
    """Return a copy of `value` in JSON's own types, sharing nothing with it.

    Raises `error`, which names the place below `where`, for other types, NaN, infinities, enormous
    integers, names that are no strings, and for nesting deeper than `DEEPEST` or without an end.
    """
    if level > DEEPEST:
        raise error(f"{where} is nested deeper than {DEEPEST} levels")
    match value:
        case None | bool() | str():
            return value
        case int() if value.bit_length() < INTEGER_BITS:
            return value
        case float() if math.isfinite(value):
            return value
        case list() | tuple():
            return [
                json_copy(item, f"{where}[{index}]", error, level=level + 1)
                for index, item in enumerate(value)
            ]
        case Mapping():
            return {
                _name(name, where, error): json_copy(
                    item, f"{where}.{name}", error, level=level + 1
                )
                for name, item in value.items()
            }
        case _:
            raise error(f"{where} must be a JSON value, got {shown(value)}")


def _name(name: object, where: str, error: type[ValueError]) -> str:
    if not isinstance(name, str):
        raise error(f"{where} must have strings for names, got {shown(name)}")
    return name


def load_document(
    path: str | os.PathLike[str], parse: Callable[[object], T], error: type[ValueError]
) -> T:
    """Return the result of `parse` for the JSON in the file at `path`.

    Raises `error`, which names the file, when the file has no JSON and when `parse` raises it, and
    `OSError` when the file cannot be read.
    """
    data = Path(path).read_bytes()
    try:
        # Some editors write a byte order mark, which is not allowed in JSON.
        raw = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except RecursionError as problem:
        raise error(f"{path}: invalid JSON: nested too deeply") from problem
    except ValueError as problem:
        raise error(f"{path}: invalid JSON: {problem}") from problem
    try:
        return parse(raw)
    except error as problem:
        raise error(f"{path}: {problem}") from problem


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
