"""Decodes JSON from files into typed data, strictly or leniently.

A shape is a frozen `msgspec.Struct`. Strict reading refuses a member of another type, or one that is
missing and has no default. Lenient reading takes such a member for absent, and an item of another type
out of its list, so that records of any age and writer can be used.
"""

from __future__ import annotations

import json
import re
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

Shape = TypeVar("Shape", bound=msgspec.Struct)

_MOST = 10**15
Count = Annotated[int, msgspec.Meta(ge=0, lt=_MOST)]
"""A whole number of things."""

Amount = (
    Annotated[int, msgspec.Meta(ge=0, lt=_MOST)] | Annotated[float, msgspec.Meta(ge=0, lt=_MOST)]
)
"""A finite number of seconds, tokens or dollars. From 10**15 on a float is no longer exact."""

_LONGEST_INTEGER = 4300  # digits; Python's json refuses longer ones, msgspec skips over them
_TENTH = _LONGEST_INTEGER // 10


class DecodingError(ValueError):
    """The data is no JSON object, or strict reading refuses a member of it."""


def decode(data: bytes, shape: type[Shape], *, lenient: bool = False) -> Shape:
    """Return the JSON object in `data` as a `shape`. Raises `DecodingError`."""
    try:
        if not data.isascii():
            data.decode()  # msgspec looks at undeclared members less closely
        found: Shape | None = None if _has_long_integer(data) else _decoder(shape)(data)
    except (ValueError, RecursionError):
        found = None
    if found is None:
        # Files that promise to stay readable may hold NaN, half surrogates and 1e999. msgspec cannot read
        # these, so json is the second reader.
        return convert(json_object(data), shape, lenient=lenient)
    return found


def _has_long_integer(data: bytes) -> bool:
    """Return whether `data` has more digits in a row than an integer may have.

    Ten samples in a row of such a number are digits, so hardly any other data is searched whole.
    """
    if len(data) <= _LONGEST_INTEGER or not re.search(rb"[0-9]{10}", data[::_TENTH]):
        return False
    return re.search(rb"[0-9]{%d}" % (_LONGEST_INTEGER + 1), data) is not None


def convert(found: object, shape: type[Shape], *, lenient: bool = False) -> Shape:
    """Return an object that was read already as a `shape`. Raises `DecodingError`."""
    try:
        return msgspec.convert(found, shape)
    except (ValueError, RecursionError) as error:
        if not lenient or not isinstance(found, dict):
            raise DecodingError(str(error)) from error
    return _lenient(found, shape)


def json_object(data: bytes) -> dict[str, Any]:
    """Return the JSON object in `data`, as Python's json reads it. Raises `DecodingError`."""
    try:
        found = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise DecodingError("is not JSON") from error
    if not isinstance(found, dict):
        raise DecodingError("is not an object")
    return found


@cache
def _decoder(shape: type[msgspec.Struct]) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(shape).decode


class _WrongTypeError(Exception):
    pass


def _lenient(found: dict[str, Any], shape: type[Shape]) -> Shape:
    members = {}
    for name, key, convert_member in _members(shape):
        if key in found:
            try:
                members[name] = convert_member(found[key])
            except (_WrongTypeError, ValueError, RecursionError):
                continue
    try:
        return shape(**members)
    except TypeError as error:  # a member without a default is missing
        raise DecodingError(str(error)) from error


@cache
def _members(shape: type[msgspec.Struct]) -> list[tuple[str, str, Callable[[Any], Any]]]:
    """Return of each member its name, its key, and the function that converts its value."""
    return [
        (one.name, one.encode_name, _converter(one.type)) for one in msgspec.structs.fields(shape)
    ]


def _converter(kind: Any) -> Callable[[Any], Any]:
    """Return the function that converts a value leniently to `kind`, or raises."""
    kinds = get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)
    for one in kinds:
        if isinstance(one, type) and issubclass(one, msgspec.Struct):
            return lambda value: _lenient(_of_type(value, dict), one)
        if (collection := get_origin(one)) in {list, frozenset}:
            item = _converter(get_args(one)[0])
            return lambda value: collection(_items(_of_type(value, list), item))
    return lambda value: msgspec.convert(value, kind)


def _of_type(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise _WrongTypeError
    return value


def _items(values: list[Any], item: Callable[[Any], Any]) -> list[Any]:
    found = []
    for value in values:
        try:
            found.append(item(value))
        except (_WrongTypeError, ValueError, RecursionError):
            continue
    return found


def within(value: object) -> dict[str, Any]:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def is_version(value: object, *known: int) -> bool:
    """Say whether `value` is one of the `known` version numbers; True is not 1."""
    return type(value) is int and value in known
