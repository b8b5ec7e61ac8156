"""Reading a JSON document from a file that somebody names, as universes and conversations are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

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
