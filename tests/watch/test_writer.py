"""Whether the process behind a sweep is gone, asked of real processes."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from kit.watching import started

from wt_git.watch.session import has_ended

NOW = datetime.now(UTC)


@pytest.fixture
def process():
    """A process that sleeps."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield child
    child.kill()
    child.wait()


def test_a_process_that_runs_is_not_gone(process):
    """It began before the sweep that it runs."""
    later = (datetime.now(UTC) + timedelta(seconds=1)).isoformat()
    assert not has_ended(started("aaaa", pid=process.pid, ts=later))


def test_a_process_that_ended_is_gone(process):
    """Whoever started it may not have noticed yet, or has."""
    ts = datetime.now(UTC).isoformat()
    process.kill()
    while not has_ended(started("aaaa", pid=process.pid, ts=ts)):
        assert process.returncode is None
    process.wait()
    assert has_ended(started("aaaa", pid=process.pid, ts=ts))


def test_a_process_that_began_after_the_sweep_is_another_one(process):
    """Numbers of processes are used again."""
    before = (NOW - timedelta(hours=1)).isoformat()
    assert has_ended(started("aaaa", pid=process.pid, ts=before))


@pytest.mark.parametrize(
    "fields",
    [
        {"host": "elsewhere"},
        {"host": None},
        {"pid": 0},
        {"pid": -1},
        {"pid": True},
        {"pid": "7"},
        {"pid": None},
        {"pid": 10**30},
        {"ts": "unknown"},
    ],
    ids=str,
)
def test_where_it_cannot_be_known_it_is_not_said(fields):
    """A sweep that is given up for dead wrongly would be worse than one that is waited for."""
    assert not has_ended(started("aaaa", **{"ts": NOW.isoformat(), **fields}))


def test_a_process_of_somebody_else_lives():
    """It may not be signalled, which says that it is there. As root every process may."""
    assert not has_ended(started("aaaa", pid=1, ts=NOW.isoformat()))
