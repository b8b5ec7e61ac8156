"""Finding traces: everywhere below a runs directory, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.saved_runs import edit_json, run_id, save_run
from kit.traces import a_trace, texts

from wt_git.api.trace import folder_name, save_trace, storage_path
from wt_git.records.runs.run_files import (
    RunFile,
    RunIdentity,
    peek,
    run_files,
)


def found(runs_dir: Path, *labels: str) -> list[str]:
    folders = {folder_name(label) for label in labels} or None
    return [str(Path(one.path).relative_to(runs_dir)) for one in run_files(runs_dir, folders)]


def put(runs_dir: Path, *paths: str) -> None:
    for path in paths:
        (runs_dir / path).parent.mkdir(parents=True, exist_ok=True)
        (runs_dir / path).write_text("{}")


def test_a_trace_is_a_json_file_without_another_dot_wherever_it_is(tmp_path):
    """Copied traces need not stand where runs are stored."""
    put(tmp_path, "b.json", "a/b/c/d/e/f/g.json", "a/x.json", "x.txt", "json", "c.json/d.json")
    put(tmp_path, "b.score.json", "b.hook.json", "s.pack.json", "ledger.ndjsonl")
    assert found(tmp_path) == ["a/b/c/d/e/f/g.json", "a/x.json", "b.json", "c.json/d.json"]
    scored = {Path(one.path).name: one.is_scored for one in run_files(tmp_path)}
    assert scored == {"b.json": True, "d.json": False, "g.json": False, "x.json": False}


def test_what_begins_with_a_dot_is_nobodys_data(tmp_path):
    """Temporary files, listings of trees, a folder of git."""
    put(tmp_path, ".x.json", ".fingerprints/a.json", ".git/b/c.json", "a/.b/c.json")
    assert found(tmp_path) == []


def test_a_name_that_begins_with_a_dot_hides_no_run(tmp_path):
    """A label or a model may be called so; a hidden folder that only looks like one is skipped."""
    path = save_run(tmp_path, 1, scenario=".5", label=".env", model=".0")
    assert [one.path for one in run_files(tmp_path, {".env"})] == [str(path)]
    assert [one.path for one in run_files(tmp_path, {"env"})] == []
    save_run(tmp_path, 2, scenario="kept")
    (tmp_path / "kept").rename(tmp_path / ".trash")
    (tmp_path / ".old").mkdir()
    (tmp_path / ".5").rename(tmp_path / ".old/.5")
    assert list(run_files(tmp_path)) == []


def test_links_pipes_and_closed_folders_do_not_hold_the_walk_up(tmp_path):
    """A link to a folder may lead around in a circle, and a pipe waits for a writer."""
    put(tmp_path, "a/x.json")
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "a/up").symlink_to(tmp_path)
    (tmp_path / "gone.json").symlink_to("nowhere")
    (tmp_path / "linked.json").symlink_to("a/x.json")
    assert found(tmp_path) == ["a/x.json", "linked.json"]


def test_a_link_that_leads_to_itself_hides_nothing_beside_it(tmp_path):
    """Asking what it is fails, where asking the same of a link that leads nowhere does not."""
    put(tmp_path, "a/x.json", "y.json")
    for name in ("loop.json", "a/loop.json"):
        (tmp_path / name).symlink_to("loop.json")
    assert found(tmp_path) == ["a/x.json", "y.json"]


def test_a_score_beside_what_is_no_file_has_lost_its_trace(tmp_path):
    """Whatever stands where the trace was; the run must not vanish without a word."""
    name = "20260102T030405000000Z_{}"
    put(tmp_path, *(f"{name.format(one)}.score.json" for one in "abcde"))
    os.mkfifo(tmp_path / f"{name.format('a')}.json")
    (tmp_path / f"{name.format('b')}.json").symlink_to(f"{name.format('b')}.json")
    (tmp_path / f"{name.format('c')}.json").symlink_to("nowhere")
    (tmp_path / f"{name.format('d')}.json").mkdir()
    put(tmp_path, f"{name.format('e')}.json")
    orphans: list[str] = []
    walked = list(run_files(tmp_path, on_orphan=orphans.append))
    assert [Path(one.path).name for one in walked] == [f"{name.format('e')}.json"]
    assert orphans == [str(tmp_path / f"{name.format(one)}.score.json") for one in "abcd"]


def test_a_folder_that_cannot_be_listed_is_told_of(tmp_path):
    """What it holds is not known; the others are found."""
    put(tmp_path, "a/x.json")
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(60):  # a path longer than the system takes
        os.mkdir("d" * 100, dir_fd=here)
        inner = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    told: list[str] = []
    walked = run_files(tmp_path, on_closed=lambda path, _error: told.append(path))
    assert [Path(one.path).name for one in walked] == ["x.json"]
    assert len(told) == 1
    assert told[0].startswith(str(tmp_path / ("d" * 100)))


def test_folders_may_be_nested_deeper_than_python_calls(tmp_path, monkeypatch):
    """Somebody copied directories into themselves."""
    monkeypatch.chdir(tmp_path)
    for _ in range(1200):
        Path("d").mkdir()
        os.chdir("d")
    Path("x.json").touch()
    found = list(run_files(tmp_path))
    Path("x.json").unlink()
    for _ in range(1200):  # what removes a test's folder calls itself for each level
        os.chdir("..")
        Path("d").rmdir()
    assert [Path(one.path).name for one in found] == ["x.json"]


def test_a_directory_that_is_not_there_is_an_error(tmp_path):
    """An empty answer would say that there are no runs."""
    with pytest.raises(OSError, match="absent"):
        list(run_files(tmp_path / "absent"))


def test_a_label_leaves_out_what_is_stored_under_another(tmp_path):
    """By the folder, without opening anything; what has a place of its own may be any label's."""
    stored = "{}/wt-cli/{}/m/q/20260102T030405000000Z_{}.json"
    put(tmp_path, stored.format("s", "one", "a"), stored.format("s", "two", "b"))
    put(tmp_path, stored.format("archive/s", "two", "c"), "copied.json")
    put(tmp_path, "s/wt-cli/two/m/q/foreign.json")
    assert found(tmp_path, "one") == [
        stored.format("archive/s", "two", "c"),
        "copied.json",
        stored.format("s", "one", "a"),
        "s/wt-cli/two/m/q/foreign.json",
    ]
    assert stored.format("s", "two", "b") in found(tmp_path)


@given(texts(), texts(), texts())
def test_a_run_is_found_under_its_label_whatever_the_names(
    tmp_path_factory, scenario, label, model
):
    """Folders are made from names, and the same rule looks for them."""
    folder = tmp_path_factory.mktemp("runs")
    trace = a_trace(scenario_id=scenario, variant_id=label, model=model)
    path = storage_path(trace, folder)
    save_trace(trace, path)
    assert [one.path for one in run_files(folder, {folder_name(label)})] == [str(path)]
    assert peek(str(path)) == RunIdentity(trace.run_id, scenario, label)


def test_a_trace_says_in_its_first_bytes_what_it_is(tmp_path):
    """However long it is, and with both ways of writing JSON."""
    path = save_run(tmp_path, 7, scenario='say "hi"\n\u2028', label="ü")
    known = RunIdentity(run_id(7), 'say "hi"\n\u2028', "ü")
    assert peek(str(path)) == known
    edit_json(path)
    assert peek(str(path)) == known


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff\xfe",
        b'{"windtunnel_trace": 2, "run_id": "a", "scenario_id": "b", "agent_id": "c", ',
        b'{"windtunnel_trace": 1, "run_id": 7, "scenario_id": "b", "agent_id": "c", "variant_id": "d",',
        (
            b'{"windtunnel_trace": 1, "run_id": "a", "scenario_id": "\\q", "agent_id": "c", '
            b'"variant_id": "d",'
        ),
        (
            b'{"windtunnel_trace": 1, "scenario_id": "b", "run_id": "a", "agent_id": "c", '
            b'"variant_id": "d",'
        ),
    ],
)
def test_anything_else_has_to_be_read(tmp_path, content):
    """Older traces, those of other programs, and what is no trace."""
    path = tmp_path / "x.json"
    path.write_bytes(content)
    assert peek(str(path)) is None
    assert peek(str(tmp_path / "absent.json")) is None


@given(st.binary(max_size=200))
def test_no_bytes_break_the_look_at_the_head(tmp_path_factory, content):
    """It says something or nothing."""
    path = tmp_path_factory.mktemp("head") / "x.json"
    path.write_bytes(b'{"windtunnel_trace": 1, "run_id": "' + content)
    said = peek(str(path))
    assert said is None or all(isinstance(part, str) for part in said)


@pytest.mark.parametrize(
    ("name", "stamped"),
    [
        ("20260102T030405000000Z_4f2a9c1b.json", True),
        ("20260102T030405000000Z_run-1.json", True),
        ("20260102T030405Z_4f2a9c1b.json", False),
        ("report.json", False),
    ],
)
def test_names_of_stored_runs_are_told_from_others(name, stamped):
    """So that a stranger's file without a score is not called a run that did not end."""
    assert RunFile(f"runs/{name}", is_scored=False).is_stamped is stamped
