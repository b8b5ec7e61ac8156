"""The written forms of a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from wt_git.clock import SystemClock, as_utc, file_stamp, whole_seconds, with_fraction

EAST = datetime(2026, 1, 2, 5, 4, 5, 250000, tzinfo=timezone(timedelta(hours=2)))
NAIVE = datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 - that is the point


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (whole_seconds(EAST), "2026-01-02T03:04:05Z"),
        (with_fraction(EAST), "2026-01-02T03:04:05.25Z"),
        (with_fraction(NAIVE), "2026-01-02T03:04:05Z"),
        (file_stamp(EAST), "20260102T030405250000Z"),
        (file_stamp(NAIVE), "20260102T030405000000Z"),
    ],
)
def test_times_are_written_in_utc(written: str, expected: str) -> None:
    """Whatever zone they came in; without one they are taken to be UTC."""
    assert written == expected


def test_the_system_clock_is_aware_and_its_stopwatch_runs_forward() -> None:
    """Two readings in order."""
    clock = SystemClock()
    first = clock.monotonic()
    assert as_utc(clock.now()).tzinfo is UTC
    assert clock.monotonic() >= first
