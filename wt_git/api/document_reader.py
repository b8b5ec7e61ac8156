"""Reading JSON documents with a promised shape: a member of the wrong type is refused by name.

Stored scores and traces, universes and conversations are read with it. A member may be absent where
it has a default, but one that is present must have the right type.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

_TEXT_SHOWN = 60
_INTEGER_BITS_SHOWN = 64
_KINDS: dict[type[object], str] = {list: "an array", dict: "an object"}


class DocumentReader:
    """The members of one JSON object, each asked for by name and type.

    `where` names the object in messages. `error` is the exception type to raise: for a source that
    is no object, for a member that is missing and has no default, for one of another type.
    """

    def __init__(self, source: object, where: str, error: type[ValueError]) -> None:
        if not isinstance(source, Mapping):
            raise error(f"{where or 'the document'} must be an object, got {shown(source)}")
        self._source: Mapping[str, Any] = source
        self._where = where
        self._error = error

    def __contains__(self, name: str) -> bool:
        return name in self._source

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string."""
        value = self._value(name, default)
        if not isinstance(value, str):
            self._refuse(name, "a string", value)
        return value

    def filled_text(self, name: str) -> str:
        """Return a string that is not empty."""
        value = self._source.get(name)
        if not isinstance(value, str) or not value:
            self._refuse(name, "a non-empty string", value)
        return value

    def optional_text(self, name: str) -> str | None:
        """Return a string, or None when it is absent or null."""
        return None if self._source.get(name) is None else self.text(name)

    def nullable_text(self, name: str) -> str | None:
        """Return a string, or None when it is null; absent it may not be."""
        return None if self._value(name, None) is None else self.text(name)

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        """Return a boolean; numbers are not taken for one."""
        value = self._value(name, default)
        if not isinstance(value, bool):
            self._refuse(name, "a boolean", value)
        return value

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an integer; booleans are not taken for one."""
        value = self._value(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            self._refuse(name, "an integer", value)
        return value

    def version(self, name: str, known: int) -> int:
        """Return the version of the document, which is `known`."""
        version = self._source.get(name)
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            self._refuse(name, "a positive integer", version)
        if version != known:
            raise self._error(
                f"unsupported {self.path(name)} {shown(version)}: this version reads {known}"
            )
        return version

    def number(self, name: str, default: float | None = None) -> float:
        """Return a number within the range of a float; booleans are not taken for one."""
        value = self._value(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._refuse(name, "a number", value)
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            self._refuse(name, "a number that a float can hold", value)
        return value

    def mapping(self, name: str, default: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return an object."""
        value = self._value(name, default)
        if not isinstance(value, Mapping):
            self._refuse(name, "an object", value)
        return dict(value)

    def optional_mapping(self, name: str) -> dict[str, Any] | None:
        """Return an object, or None when it is absent or null."""
        return None if self._source.get(name) is None else self.mapping(name)

    def child(self, name: str, default: Mapping[str, Any] | None = None) -> DocumentReader:
        """Return a reader of the object under `name`."""
        return DocumentReader(self._value(name, default), self.path(name), self._error)

    def children(self, name: str) -> list[DocumentReader]:
        """Return a reader for each object of the array under `name`, which must be there."""
        return [
            DocumentReader(item, self.path(f"{name}[{index}]"), self._error)
            for index, item in enumerate(self._array(name, None))
        ]

    def optional_children(self, name: str) -> list[DocumentReader] | None:
        """Return the same, or None when the array is absent or null."""
        return None if self._source.get(name) is None else self.children(name)

    def mappings(self, name: str) -> list[dict[str, Any]]:
        """Return an array of objects, empty when it is absent."""
        items = self.array(name)
        for index, item in enumerate(items):
            if not isinstance(item, Mapping):
                self._refuse(f"{name}[{index}]", "an object", item)
        return [dict(item) for item in items]

    def optional_mappings(self, name: str) -> list[dict[str, Any]] | None:
        """Return an array of objects, or None when it is absent or null."""
        return None if self._source.get(name) is None else self.mappings(name)

    def texts(self, name: str) -> list[str]:
        """Return an array of strings, empty when it is absent."""
        items = self.array(name)
        for index, item in enumerate(items):
            if not isinstance(item, str):
                self._refuse(f"{name}[{index}]", "a string", item)
        return items

    def array(self, name: str) -> list[Any]:
        """Return an array of anything, empty when it is absent."""
        return self._array(name, [])

    def anything(self, name: str) -> Any:
        """Return a value of whatever type, null included, which must be there."""
        return self._value(name, None)

    def without_falsy(self) -> DocumentReader:
        """Return a reader for which null, false, zero and what is empty count as absent."""
        said = {name: value for name, value in self._source.items() if value}
        return DocumentReader(said, self._where, self._error)

    def path(self, name: str) -> str:
        """Return how messages name the member `name`."""
        return f"{self._where}.{name}" if self._where else name

    def _array(self, name: str, default: list[Any] | None) -> list[Any]:
        value = self._value(name, default)
        if not isinstance(value, list):
            self._refuse(name, "an array", value)
        return list(value)

    def _value(self, name: str, default: object) -> Any:
        if name in self._source:
            return self._source[name]
        if default is None:
            raise self._error(f"{self.path(name)} is missing")
        return default

    def _refuse(self, name: str, expected: str, value: object) -> NoReturn:
        raise self._error(f"{self.path(name)} must be {expected}, got {shown(value)}")


def shown(value: object) -> str:
    """Return `value` for a message; what is large or nested by its kind, which cannot fail."""
    if isinstance(value, str):
        return repr(value if len(value) <= _TEXT_SHOWN else value[:_TEXT_SHOWN] + "...")
    if isinstance(value, int) and value.bit_length() > _INTEGER_BITS_SHOWN:
        return "a huge integer"
    if value is None or isinstance(value, int | float):
        return json.dumps(value)
    return _KINDS.get(type(value), f"a {type(value).__name__}")


T = TypeVar("T")


def load_document(
    path: str | os.PathLike[str], parse: Callable[[object], T], error: type[ValueError]
) -> T:
    """Return what `parse` makes of the JSON in the file at `path`.

    Raises `error`, which names the file, for what is no JSON and where `parse` raises it; `OSError`
    when the file cannot be read.
    """
    data = Path(path).read_bytes()
    try:
        # Some editors put a byte order mark in front, which JSON has no place for.
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
