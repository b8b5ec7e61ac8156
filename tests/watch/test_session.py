"""A watch, with a real file and a clock, processes and a writer that the test decides about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.watching import NOW, Outside, append, event, finished, follow, shown_ids, started, sweep
from kit.watching import text_of as lines

from wt_git.errors import UsageError

EVENTS = Path("runs/events.ndjsonl")
NOTHING = b""
JUST_NOW = f"{NOW:%Y-%m-%dT%H:%M:%SZ}"


def interleaved(draw: st.DrawFn, sweeps: list[list[dict]]) -> list[dict]:
    """The events of all sweeps in some order that keeps each sweep's own."""
    order = draw(st.permutations([n for n, one in enumerate(sweeps) for _ in one]))
    left = [iter(one) for one in sweeps]
    return [next(left[n]) for n in order]


@st.composite
def histories(draw: st.DrawFn) -> tuple[bytes, list[bytes], list[dict], int]:
    """What is there, what comes piece by piece, the watched sweep's events, and its code."""
    code = draw(st.sampled_from([0, 1, 2, 75, 130]))
    runs = [
        event("run_started", "aaaa", scenario_id="s", run=n, runs=9)
        for n in range(draw(st.integers(0, 4)))
    ]
    watched = [started("aaaa"), *runs, finished("aaaa", code)]
    others = [sweep(f"bbb{n}", 99) for n in range(draw(st.integers(0, 3)))]
    text = b"".join(
        draw(st.sampled_from([b"", b"\n", b'{"torn": \n', b"\xff\n", b"[]\n"])) + lines([one])
        for one in interleaved(draw, [watched, *others])
    )
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return pieces[0], pieces[1:], watched, code


@given(histories())
def test_however_the_lines_come_the_same_is_shown_and_returned(history) -> None:
    """Whatever was there before, wherever the pieces are cut, whoever else writes in between."""
    there, pieces, watched, code = history
    EVENTS.unlink(missing_ok=True)
    append(there)
    outside = Outside(*pieces)
    assert follow(outside, sweep_id="aaaa") == code
    assert [json.loads(text) for text in outside.shown] == watched


@given(histories(), st.data())
def test_a_file_that_is_cut_and_grows_again_shows_every_event_once(history, data) -> None:
    """It is read again from its top; what was shown stays shown."""
    there, pieces, watched, code = history
    EVENTS.unlink(missing_ok=True)
    append(there)
    whole = there + b"".join(pieces)
    outside = Outside(*pieces)
    cut = data.draw(st.integers(0, len(pieces)))

    def shrink() -> None:
        EVENTS.write_bytes(EVENTS.read_bytes()[: data.draw(st.integers(0, 200))])

    def again() -> None:
        EVENTS.write_bytes(whole)

    outside.steps[cut:] = [shrink, again, NOTHING]
    assert follow(outside, sweep_id="aaaa") == code
    assert [json.loads(text) for text in outside.shown] == watched


def test_by_label_the_newest_that_still_runs_is_followed() -> None:
    """Neither one that ended long ago, nor an older one, nor another label."""
    append(lines([started("0001"), started("0002"), *sweep("0003"), started("0004", label="x")]))
    outside = Outside(lines([finished("0001", 5), finished("0002", 7)]))
    assert follow(outside, label="round") == 7
    assert shown_ids(outside) == ["0002"]
    assert outside.said == []


def test_one_that_started_just_now_is_followed_although_it_ended() -> None:
    """So a watch that was started after a short sweep still finds it."""
    append(lines(sweep("0001", 3, ts=JUST_NOW)))
    outside = Outside()
    assert follow(outside, label="round") == 3
    assert len(outside.shown) == 3


@pytest.mark.parametrize(
    "ts", ["2026-03-04T05:05:56Z", "2026-03-04T06:00:00Z", "yesterday", 5, None]
)
def test_one_that_ended_and_did_not_start_just_now_is_not(ts) -> None:
    """Also where its clock is wrong, or it does not say when."""
    append(lines(sweep("0001", 3, ts=ts)))
    outside = Outside(lines(sweep("0002", 4)))
    assert follow(outside, label="round") == 4
    assert shown_ids(outside) == ["0002"]
    assert outside.said[0] == (
        "waiting for a sweep of label 'round' to start in 'runs'; "
        "the latest one is over, see it with: wt watch --runs runs --sweep 0001"
    )


def test_whoever_came_too_late_is_told_of_the_latest_sweep_of_the_label_alone() -> None:
    """Not of an older one, nor of another label; one whose process is gone is over as well."""
    append(lines([*sweep("0001"), *sweep("0002"), started("it is"), *sweep("0003", label="x")]))
    outside = Outside(lines(sweep("0004")))
    outside.gone = {"it is"}
    assert follow(outside, label="round") == 0
    assert outside.said[0].endswith("over, see it with: wt watch --runs runs --sweep 'it is'")
    none = Outside(lines(sweep("0005", 2, label="new")))
    assert follow(none, label="new") == 2
    assert none.said == ["waiting for a sweep of label 'new' to start in 'runs'"]


def test_a_dead_one_is_passed_over_by_label() -> None:
    """It will never end; the one before it runs."""
    append(lines([started("0001"), started("0002")]))
    outside = Outside(lines([finished("0001", 6)]))
    outside.gone = {"0002"}
    assert follow(outside, label="round") == 6


def test_one_that_ends_while_it_is_looked_for_is_followed() -> None:
    """Its process is gone since it finished after the file was looked at."""
    append(lines([started("0001")]))
    outside = Outside()

    def ended(record) -> bool:
        append(lines([finished(record["sweep_id"], 8)]))
        return True

    outside.is_gone = ended  # type: ignore[method-assign]
    assert follow(outside, label="round") == 8


def test_without_label_and_id_any_sweep_will_do() -> None:
    """The next one that starts, where none runs."""
    append(lines(sweep("0001")))
    outside = Outside(lines(sweep("0002", 2, label="other")))
    assert follow(outside) == 2
    assert "waiting for a sweep to start in 'runs'" in outside.said[0]


def test_two_sweeps_of_one_label_do_not_disturb_each_other() -> None:
    """The second starts and ends while the first is followed."""
    append(lines([started("0001")]))
    outside = Outside(lines(sweep("0002", 1)), lines([finished("0001", 0)]))
    assert follow(outside, label="round") == 0
    assert shown_ids(outside) == ["0001"]


def test_an_id_wins_over_a_label() -> None:
    """As the more exact of the two."""
    append(lines([*sweep("0001", 9), started("0002")]))
    assert follow(Outside(), sweep_id="0001", label="round") == 9


def test_a_sweep_without_its_start_is_shown_from_its_first_event() -> None:
    """A disk that was full may have lost it."""
    append(lines([event("run_started", "0001"), finished("0001", 4)]))
    outside = Outside()
    assert follow(outside, sweep_id="0001") == 4
    assert len(outside.shown) == 2


def test_a_directory_that_comes_later_is_waited_for() -> None:
    """With the file, whose first sweep is the one."""
    outside = Outside(NOTHING_YET, lines(sweep("0001", 1)))
    assert follow(outside, label="round") == 1
    assert "runs directory not found: 'runs'" in outside.said[0]
    assert len(outside.said) == 1


def NOTHING_YET() -> None:  # noqa: N802 - stands where a step does
    assert not Path("runs").exists()


@pytest.mark.parametrize("code", [None, True, "0", 256, -1, 1.0])
def test_an_end_without_a_usable_code_is_a_1(code) -> None:
    """Never a 0, also not as 256, which a process would end with as one."""
    append(lines(sweep("0001", code)))
    assert follow(Outside(), sweep_id="0001") == 1


def test_a_writer_that_is_gone_ends_the_watch_after_four_quiet_looks() -> None:
    """And not before: it may only have been slow."""
    append(lines([started("0001", pid=4242)]))
    outside = Outside(*[NOTHING] * 4)
    outside.gone = {"0001"}
    assert follow(outside, sweep_id="0001") == 1
    assert outside.steps == []
    assert "exited without finishing: its process, pid 4242, is gone" in outside.said[0]


def test_the_last_words_of_a_writer_that_is_gone_are_heard() -> None:
    """It finished between the last look and its end."""
    append(lines([started("0001")]))
    outside = Outside(*[NOTHING] * 4)

    def ended(record) -> bool:
        append(lines([finished("0001", 3)]))
        return True

    outside.is_gone = ended  # type: ignore[method-assign]
    assert follow(outside, sweep_id="0001") == 3
    assert outside.said == []


def test_events_of_others_do_not_hide_that_a_writer_is_gone() -> None:
    """A busy runs directory is never quiet."""
    append(lines([started("0001")]))
    outside = Outside(*[lines(sweep(f"10{n}")) for n in range(4)])
    outside.gone = {"0001"}
    assert follow(outside, sweep_id="0001") == 1


@pytest.mark.parametrize(
    ("there", "wanted", "said"),
    [
        ([started("0001")], {"sweep_id": "0001"}, "sweep 0001 is still running"),
        ([started("0001")], {"label": "round"}, "sweep 0001 is still running"),
        ([], {"label": "round"}, "no sweep started of label 'round' in 'runs'"),
        ([], {}, "no sweep started in 'runs'"),
        (sweep("0001"), {"sweep_id": "beef"}, "no sweep started with the id 'beef'"),
    ],
)
def test_time_that_runs_out_says_what_was_waited_for(there, wanted, said) -> None:
    """124, after exactly as long, however long the pause between two looks."""
    append(lines(there))
    outside = Outside(*[NOTHING] * 3)
    assert follow(outside, timeout_s=2.5, poll_s=1.0, **wanted) == 124
    assert outside.said[-1] == f"timed out after 2.5s: {said}"
    assert outside.slept_s == 2.5


def test_an_id_that_is_not_there_is_said_at_once() -> None:
    """With those that begin like it, since ids get cut; then it is waited for."""
    append(lines([*sweep("abcd1"), *sweep("abcd2")]))
    outside = Outside(lines(sweep("abc", 5)))
    assert follow(outside, sweep_id="abc") == 5
    assert outside.said == [
        "no sweep 'abc' is recorded in 'runs', but there is abcd2, abcd1; waiting for a sweep of that id"
    ]


@pytest.mark.parametrize("sweep_id", ["a-b", 'quo"te', "größe", "\ud800", ""])
def test_any_text_may_be_asked_for_as_an_id(sweep_id) -> None:
    """JSON spells some in other ways; one of those is found too where JSON can hold it."""
    append(lines(sweep(sweep_id.replace("\ud800", "x"), 6)))
    expected = 124 if sweep_id == "\ud800" else 6
    assert follow(Outside(NOTHING), sweep_id=sweep_id, timeout_s=0.1) == expected


def test_a_sweep_that_goes_on_in_a_file_that_was_emptied_is_followed_there() -> None:
    """Somebody made room; what comes is shorter than what was there."""
    append(lines([*sweep("0001"), *sweep("0002"), started("0003")]))
    outside = Outside(lambda: EVENTS.write_bytes(lines([finished("0003", 3)])))
    assert follow(outside, sweep_id="0003") == 3


def test_a_sweep_that_goes_on_in_another_file_is_followed_there() -> None:
    """The old one was moved away, and the new one may be longer already."""
    append(lines([started("0003")]))

    def move() -> None:
        EVENTS.rename("runs/old")
        append(lines([finished("0003", 3), *sweep("0004"), *sweep("0005")]))

    assert follow(Outside(move), sweep_id="0003") == 3


def test_old_sweeps_in_a_file_that_was_replaced_are_not_the_next_one() -> None:
    """Somebody put last year's events back while a sweep was waited for."""
    append(lines([event("run_started", "0000")] * 20))

    def replace() -> None:
        EVENTS.unlink()
        append(lines(sweep("0001", 9)))

    outside = Outside(replace, lines(sweep("0002", 2)))
    assert follow(outside, label="round") == 2
    assert len(outside.said) == 1


def test_events_of_another_version_are_passed_over() -> None:
    """As are lines that are no events at all."""
    others = [{**one, "windtunnel_event": v} for one in sweep("0001") for v in (0, 2, True, "1")]
    append(lines([*others, {"windtunnel_event": 1}, *sweep("0001", 4)]))
    outside = Outside()
    assert follow(outside, sweep_id="0001") == 4
    assert len(outside.shown) == 3


def test_what_is_no_file_is_refused() -> None:
    """A folder of that name, or a runs directory that is a file."""
    EVENTS.mkdir(parents=True)
    with pytest.raises(UsageError, match=r"'runs/events\.ndjsonl' cannot be read"):
        follow(Outside(), sweep_id="0001")
    Path("file").touch()
    with pytest.raises(UsageError, match="cannot be read"):
        follow(Outside(runs_dir="file"), label="round")


def test_nothing_is_read_that_was_read_before() -> None:
    """Of a file of a megabyte, a watch of its last sweep reads the end; a look reads what is new."""
    append(lines([event("run_started", f"{n:04}", text="x" * 1000) for n in range(1000)]))
    append(lines([started("aaaa")]))
    counted = _CountedReads()
    outside = Outside(NOTHING, NOTHING, counted.take, lines([finished("aaaa", 0)]))
    assert follow(outside, sweep_id="aaaa") == 0
    assert counted.at_first < 200_000
    assert counted.since() < 20_000


class _CountedReads:
    """How many bytes this process has read, as the system counts."""

    def __init__(self) -> None:
        self._began = self._read()
        self.at_first = 0

    @staticmethod
    def _read() -> int:
        return int(Path("/proc/self/io").read_text().split("rchar: ")[1].split()[0])

    def take(self) -> None:
        self.at_first = self._read() - self._began
        self._began = self._read()

    def since(self) -> int:
        return self._read() - self._began
