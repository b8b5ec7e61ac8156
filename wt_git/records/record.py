"""How a record is declared, and how it becomes JSON.

`Record` is for the lines that a sweep writes, `Document` in
`wt_git/records/documents/document.py` for a command's output.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

Text: TypeAlias = str
"""A string from outside: sent by an agent, or the name of a file."""


def as_recorded(text: str) -> str:
    """Return `text` as a record holds it.

    Agents and file names can carry half a surrogate pair; UTF-8 cannot, so it becomes U+FFFD.
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A line that is written once and read for years; its fields are its keys, in their order.

    Every string in a record can be encoded as UTF-8, and lists and dicts are its own.
    """

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            msgspec.structs.force_setattr(self, name, encodable(getattr(self, name)))

    def as_document(self) -> dict[str, Any]:
        """Return the record as JSON holds it, without the fields that are unset."""
        members = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return {name: _as_document(value) for name, value in members if value is not msgspec.UNSET}


def encodable(value: Any) -> Any:
    """Return `value` with every string in it as recorded; lists and dicts are copied."""
    if isinstance(value, str):
        return as_recorded(value)
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encodable(item) for item in value]
    return value


def _as_document(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_document(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_document(item) for key, item in value.items()}
    return value.as_document() if isinstance(value, Record) else value
