"""One table of a TOML file, with its place in the file for the messages about its errors.

It is read by hand: each refusal names the file, table, key, value and the nearest known key, which the
errors of a decoder do not, and settings are read before any library is loaded.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

from wt_git.errors import ConfigurationError
from wt_git.text import close_matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_VALUE = 60
# A name counts as a misspelt form of another if at most about one letter in five differs.
_LIKENESS = 0.8


class Table:
    """One table of `file`: a path, or a description of the content's origin."""

    def __init__(self, file: Path | str, name: str, content: Mapping[str, Any]) -> None:
        self.file = file
        self._name = name
        self._content = content

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def has(self, key: str) -> bool:
        """Say whether the table has `key`."""
        return key in self._content

    def get(self, key: str, default: object = None) -> Any:
        """Return the value under `key`, of any type."""
        return self._content.get(key, default)

    def table(self, key: str, problem: str = "expected a table") -> Table | None:
        """Return the table under `key`, None where there is nothing."""
        if key not in self._content:
            return None
        content = self._content[key]
        if not isinstance(content, dict):
            self.refuse(key, problem)
        return Table(self.file, f"{self._name}.{_key(key)}".removeprefix("."), content)

    def number(self, key: str, problem: str, *, default: float | Decimal = 0) -> float | Decimal:
        """Return the finite number under `key`: an int or a Decimal, or `default`."""
        if key not in self._content:
            return default
        value = self._content[key]
        if isinstance(value, bool) or not isinstance(value, int | Decimal) or not _fits(value):
            self.refuse(key, problem)
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Return the boolean under `key`, or `default`."""
        value = self._content.get(key, default)
        if not isinstance(value, bool):
            self.refuse(key, "expected true or false")
        return value

    def word(self, key: str, known: tuple[str, ...]) -> str:
        """Return the word under `key`, one of `known`; the first of them where there is none."""
        value = self._content.get(key, known[0])
        if not isinstance(value, str) or value not in known:
            near = guess(value, known) if isinstance(value, str) else ""
            problem = f"expected one of {', '.join(map(_key, known))}{near}"
            self.refuse(key, problem, known=list(known))
        return value

    def words(self, key: str, problem: str) -> tuple[str, ...]:
        """Return the list of strings under `key`, none of them blank; empty where there is none."""
        value = self._content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value):
            self.refuse(key, problem)
        return tuple(value)

    def refuse_unknown(self, known: tuple[str, ...]) -> None:
        """Refuse the first key that is not in `known`."""
        for key in self._content:
            if key not in known:
                names = f"expected one of {', '.join(known)}{guess(key, known)}"
                self.refuse(key, f"there is no such key, {names}", known=list(known))

    def refuse_misspelt(self, known: tuple[str, ...]) -> None:
        """Refuse the first key that looks like a misspelt one of `known`; accept all others."""
        for key in self._content:
            if key not in known and (near := guess(key, known)):
                self.refuse(key, f"expected {' or '.join(known)}{near}", known=list(known))

    def refuse(self, key: str, problem: str, **facts: object) -> NoReturn:
        """Raise the error with file, table, key, value and `problem`; `facts` are added for programs."""
        found = f"= {_shown(self._content[key])}" if key in self._content else "is missing"
        place = f"[{self._name}] " if self._name else ""
        raise ConfigurationError(
            f"{self.file}: {place}{_key(key)} {found}: {problem}",
            code="bad-setting",
            facts={
                "file": str(self.file),
                "table": self._name,
                "key": key,
                "value": _as_json(self._content.get(key)),
                "expected": problem,
                **facts,
            },
        )


def _fits(value: int | Decimal) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def guess(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean X?` for the most similar name of `known`, or nothing."""
    near = close_matches(name.lower(), known, most=1, likeness=_LIKENESS)
    return f"; did you mean {near[0]}?" if near else ""


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _as_json(value: object) -> object:
    """Return `value` as JSON data, a value without a JSON form (such as a date) as its text."""
    return json.loads(json.dumps(value, default=_number_or_text), parse_constant=str)


def _number_or_text(value: object) -> float | str:
    return float(value) if isinstance(value, Decimal) and _fits(value) else str(value)


def _shown(value: object) -> str:
    """Return `value` about as the file has it, cut to fit into a message."""
    match value:
        case dict():
            text = "a table"
        case Decimal():
            text = str(value).lower().replace("infinity", "inf")
        case _:
            text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."
