"""Where lock files stand, what they are called, and reading what is in them."""

from __future__ import annotations

import json
import re
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.lock_process import holder

from wt_git.sweep.run_lock.file_locks import lock_folder
from wt_git.sweep.run_lock.lock_holder import LockWaitState, describe_waiting, read_holder
from wt_git.sweep.run_lock.runtime_lock import Ticket, lock_path


def test_the_lock_file_is_named_for_the_key():
    """A readable part for people, and a digest so that no two keys share a file."""
    assert lock_path(Path("l"), "my_runtime") == Path("l/my_runtime-31ddfc182d.lock")


@given(key=st.text())
def test_any_key_gives_a_file_name(key):
    """Whatever a plugin calls its backend, the name is short and safe in every shell."""
    name = lock_path(Path("l"), key).name
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,60}-[0-9a-f]{10}\.lock", name)
    if not key:
        assert name.startswith("runtime-")


@given(one=st.text(), other=st.text())
def test_two_keys_have_two_files(one, other):
    """Keys that look alike when shortened still exclude only themselves."""
    assert (lock_path(Path("l"), one) == lock_path(Path("l"), other)) == (one == other)


def test_the_folder_is_the_one_that_was_chosen():
    """WT_LOCK_DIR decides."""
    assert lock_folder({"WT_LOCK_DIR": "/var/lock/wt", "USER": "ada"}) == Path("/var/lock/wt")


@pytest.mark.parametrize(
    ("environ", "user"),
    [
        ({"USER": "ada"}, "ada"),
        ({"WT_LOCK_DIR": "", "LOGNAME": "ada"}, "ada"),
        ({"LOGNAME": "", "USER": "DOMAIN\\ada b"}, "DOMAIN_ada_b"),
    ],
)
def test_without_a_choice_each_user_has_a_folder(environ, user):
    """The default is in the system's temporary folder and safe to name."""
    assert lock_folder(environ) == Path(tempfile.gettempdir()) / f"windtunnel-locks-{user}"


def test_the_account_says_the_user_when_no_variable_does():
    """A bare environment, as cron gives, still has a folder of its user's own."""
    assert re.fullmatch(r"windtunnel-locks-[A-Za-z0-9_-]+", lock_folder({}).name)


def test_a_record_is_read_back(tmp_path):
    """What the holder writes is what a waiter shows."""
    (tmp_path / "lock").write_text(json.dumps(holder(7)._asdict() | {"later": 1}))
    assert read_holder(tmp_path / "lock") == holder(7)
    assert read_holder(tmp_path / "missing") is None


_values = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers())
_records = st.fixed_dictionaries({}, optional=dict.fromkeys(holder(1)._asdict(), _values)).map(
    json.dumps
)


@given(content=st.binary() | st.one_of(_records, st.text()).map(lambda text: text.encode("utf-8")))
def test_whatever_stands_in_a_lock_file_is_a_holder_or_nothing(content, tmp_path_factory):
    """A torn, foreign or hostile record never stops a sweep from waiting."""
    path = tmp_path_factory.getbasetemp() / "any.lock"
    path.write_bytes(content)
    found = read_holder(path)
    held_s = found and found.held_s(datetime(2026, 1, 2, tzinfo=UTC))
    assert held_s is None or held_s >= 0
    waiting = LockWaitState(key="k", holder=found, ahead=0, first_ticket_ahead=None, held_s=held_s)
    line = describe_waiting(waiting)
    assert "runtime 'k' is in use" in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("since", "said"),
    [
        ("2026-01-02T03:04:05Z", "(for 0 s)"),
        ("2026-01-02T03:03:05.5Z", "(for 59.5 s)"),
        ("2026-01-02T03:00:00Z", "(for 4 min 5 s)"),
        ("2026-01-01T00:00:00Z", "(for 27 h 4 min)"),
        ("2026-01-02T03:04:06Z", None),  # the clock was set back
        ("2026-01-02T03:00:00", None),
        ("yesterday", None),
    ],
)
def test_a_waiter_is_told_for_how_long_the_runtime_has_been_held(since, said):
    """A person need not subtract times; where nobody can know, nothing is said."""
    holding = holder(7)._replace(since=since)
    held_s = holding.held_s(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    waiting = LockWaitState(
        key="k", holder=holding, ahead=0, first_ticket_ahead=None, held_s=held_s
    )
    line = describe_waiting(waiting)
    assert f"since {since}" in line
    assert said in line if said else "(for" not in line


@pytest.mark.parametrize(
    ("ahead", "stalled", "said"),
    [
        (0, False, "; next in the queue; waiting for it to finish"),
        (1, False, "; place 2 in the queue, first pid 42 (0-1-42.ticket); waiting"),
        (4, True, "; place 5 in the queue: pid 42 (0-1-42.ticket) is first and does not take"),
    ],
)
def test_a_waiter_is_told_its_place(ahead, stalled, said):
    """And which process is ahead of all others: the one to look at when nothing moves."""
    first = "0-1-42.ticket" if ahead else None
    waiting = LockWaitState(
        key="k", holder=None, ahead=ahead, first_ticket_ahead=first, stalled=stalled
    )
    assert said in describe_waiting(waiting)


def test_a_hostile_record_cannot_write_to_the_terminal(tmp_path):
    """Escape sequences in a command or a key are shown, not obeyed."""
    nasty = holder(1, command="wt run \x1b[2J\nforged")
    line = describe_waiting(
        LockWaitState(key="\x1b]0;k", holder=nasty, ahead=0, first_ticket_ahead=None)
    )
    assert "\x1b" not in line
    assert "\n" not in line


@given(
    ranks=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 10**17), st.integers(1, 2**22)), min_size=2
    )
)
def test_ticket_names_sort_as_ranks_do(ranks):
    """Name order is priority first, then arrival, for every time of this era."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    names = [
        Ticket(
            Path("q"),
            priority=priority,
            arrived=epoch + timedelta(microseconds=microseconds % 10**16),
            pid=pid,
        ).name
        for priority, microseconds, pid in ranks
    ]
    by_name = sorted(range(len(ranks)), key=names.__getitem__)
    assert [(ranks[i][0], ranks[i][1] % 10**16) for i in by_name] == sorted(
        (priority, microseconds % 10**16) for priority, microseconds, _pid in ranks
    )


@pytest.mark.parametrize("priority", [-1, 10])
def test_a_priority_is_one_digit(priority):
    """A longer one would sort wrongly, so it is refused."""
    with pytest.raises(ValueError, match="0 to 9"):
        Ticket(Path("q"), priority=priority, arrived=datetime.now(UTC), pid=1)
