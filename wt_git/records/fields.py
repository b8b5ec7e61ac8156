"""What all records have in common: how they are declared, made and turned into JSON."""

from __future__ import annotations

from inspect import get_annotations
from typing import Any, ClassVar, TypeAlias, dataclass_transform

Text: TypeAlias = str
"""A string from outside: whatever an agent sent or a file is called."""

_REQUIRED = object()


def as_recorded(text: str) -> str:
    """Return `text` as a record holds it.

    Agents and file names can carry half a surrogate pair; UTF-8 cannot, so it becomes U+FFFD.
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record:
    """A document that is written once and read for years.

    A subclass declares its keys as annotated attributes, in the order in which they are written; a
    key with a value has that for its default. Values are given by name, lists and dicts among them
    copied, and cannot be set again. `declared` has the keys and their defaults.

    Not a dataclass, since Python compiles the methods of each one anew whenever a program starts.
    That values have the declared types is for the type checker, and for whoever lets foreign ones
    in. What is made sure of here is that every string can be encoded as UTF-8.
    """

    declared: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        own = get_annotations(cls)
        cls.declared = cls.declared | {name: getattr(cls, name, _REQUIRED) for name in own}

    def __init__(self, **values: Any) -> None:
        given = self.declared | values
        if _REQUIRED in given.values() or len(given) > len(self.declared):
            missing = [name for name, value in given.items() if value is _REQUIRED]
            wrong = missing or sorted(given.keys() - self.declared.keys())
            raise TypeError(f"{type(self).__name__} lacks, or does not know: {', '.join(wrong)}")
        self.__dict__.update({name: _encodable(value) for name, value in given.items()})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: {name}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({values})"

    def as_document(self) -> dict[str, Any]:
        """Return the record as JSON holds it, its keys in the order of their declaration."""
        return {name: _as_document(value) for name, value in self.__dict__.items()}


def _encodable(value: Any) -> Any:
    """Return `value` with every string in it as recorded; lists and dicts are copied."""
    if isinstance(value, str):
        return as_recorded(value)
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encodable(item) for item in value]
    return value


def _as_document(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_document(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_document(item) for key, item in value.items()}
    return value.as_document() if isinstance(value, Record) else value
