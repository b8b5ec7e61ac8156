"""The clock, passed to the code that needs it, and the written forms of a time."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The source of time; tests pass one that they set."""

    def now(self) -> datetime:
        """Return the wall-clock time, aware and in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never run backwards, from an unspecified start."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the wall-clock time, aware and in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - the one place that asks the system

    def monotonic(self) -> float:
        """Return seconds that never run backwards, from an unspecified start."""
        return time.monotonic()


def as_utc(moment: datetime) -> datetime:
    """Return `moment` in UTC; a naive one is taken to be UTC already."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


def whole_seconds(moment: datetime) -> str:
    """Write a time as ledger rows do: `2026-01-02T03:04:05Z`."""
    return as_utc(moment).strftime("%Y-%m-%dT%H:%M:%SZ")


def with_fraction(moment: datetime) -> str:
    """Write a time as events do: up to six fraction digits, none when zero, and `Z`."""
    text = as_utc(moment).isoformat().removesuffix("+00:00")
    return (text.rstrip("0") if "." in text else text) + "Z"


def file_stamp(moment: datetime) -> str:
    """Write a time as file names do: `20260102T030405000000Z`."""
    return as_utc(moment).strftime("%Y%m%dT%H%M%S%fZ")
