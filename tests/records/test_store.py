"""A runs directory: what is written, under which name, and what happens when it cannot be."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kit.traces import a_score, a_trace

from wt_git.api.trace import load_trace
from wt_git.errors import StorageError, UsageError
from wt_git.records import layout
from wt_git.records.runs.sidecars import run_verdict, sidecar_document
from wt_git.records.runs_dir import RunsDir

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_a_run_is_a_trace_and_its_sidecar() -> None:
    """Both come back as they went; the sidecar stands beside the trace."""
    trace = a_trace()
    path = Path(RunsDir(Path("runs")).write_run(trace, {"verdict": "PASS"}))
    assert load_trace(path) == trace
    assert json.loads(layout.sidecar_path(path).read_text()) == {"verdict": "PASS"}
    assert layout.sidecar_path(path) == path.with_name(f"{path.stem}.score.json")


def test_the_sidecar_repeats_the_score_flat_and_nested() -> None:
    """Old readers take the flat keys, new ones the nested object."""
    document = sidecar_document(a_score(), ["outcome"], {"name": "s"})
    assert document["score"]["outcome"] == document["outcome"]
    assert document["windtunnel_score"] == 2
    assert (document["verdict"], document["failure_risk"]) == ("PASS", 0.0)
    assert run_verdict(a_score(), []) == "PASS"


def test_artifacts_of_one_name_are_numbered() -> None:
    """The first is never lost to the second, and the change of name is said."""
    said: list[str] = []
    runs = RunsDir(Path(), say=said.append)
    names = [runs.write_pack_artifact("t", "hook", "s/x", None, n).name for n in range(3)]
    assert names == ["t.hook.s_x.pack.json", "t.hook.s_x-2.pack.json", "t.hook.s_x-3.pack.json"]
    assert len(said) == 2
    assert "hook artifact target exists: 't.hook.s_x.pack.json'" in said[0]
    trace = Path("a.json")
    labelled = [runs.write_run_artifact(trace, "hook", "l", n).name for n in range(2)]
    assert labelled == ["a.hook.l.json", "a.hook.l-2.json"]
    assert runs.write_run_artifact(trace, "hook", None, 0).name == "a.hook.json"


def test_a_ledger_that_takes_no_row_is_refused_before_anything_runs(tmp_path: Path) -> None:
    """Otherwise a regression would leave no trace in it, and be earned for ever."""
    runs = RunsDir(Path("runs"))
    runs.prepare()
    Path("runs/ledger.ndjsonl").write_text("{}\n")
    runs.prepare()
    Path("runs/ledger.ndjsonl").chmod(0o444)
    tmp_path.chmod(0o777)
    Path("runs").chmod(0o777)
    with somebody_else(), pytest.raises(UsageError, match=r"ledger\.ndjsonl': Permission denied"):
        runs.prepare()
    assert Path("runs/ledger.ndjsonl").read_text() == "{}\n"


@contextlib.contextmanager
def somebody_else() -> Iterator[None]:
    """Be a user whom modes of files bind; root is not."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(was)


def test_an_output_is_registered_once_and_resolved() -> None:
    """However it was spelt."""
    runs = RunsDir(Path("runs"))
    runs.prepare()
    runs.register_output(Path("x/../out.json"))
    runs.register_output(Path("out.json"))
    assert runs.registered_outputs() == {Path("out.json").resolve()}
    assert Path("runs/.wt-outputs").read_text().count("\n") == 1


def test_an_output_may_be_registered_from_the_top_of_the_repository() -> None:
    """As other writers do, so that the checkout may move; what cannot be found names nothing."""
    runs = RunsDir(Path("runs"))
    runs.prepare()
    Path("runs/.wt-outputs").write_text("./docs/out.json\nloose.json\n\n/elsewhere/out.json\n")
    assert runs.registered_outputs(Path("/work")) == {
        Path("/work/docs/out.json"),
        Path("/elsewhere/out.json"),
    }
    assert runs.registered_outputs() == {Path("/elsewhere/out.json")}


@pytest.mark.parametrize("blocked", ["file", "file/below"])
def test_a_place_that_cannot_be_a_folder_is_refused_by_name(blocked: str) -> None:
    """With what to do instead."""
    Path("file").write_text("")
    with pytest.raises(UsageError, match=f"'{blocked}'.*--runs-dir"):
        RunsDir(Path(blocked)).prepare()


def test_preparing_leaves_nothing_but_the_ignore_file() -> None:
    """And nothing at all in a directory that was there."""
    RunsDir(Path("new/runs")).prepare()
    assert [path.name for path in Path("new/runs").iterdir()] == [".gitignore"]
    Path("old").mkdir()
    RunsDir(Path("old")).prepare()
    assert not list(Path("old").iterdir())


def test_a_run_that_cannot_be_written_names_the_file() -> None:
    """The folder of the scenario is a file."""
    trace = a_trace()
    Path("runs").mkdir()
    Path("runs", trace.scenario_id).write_text("")
    with pytest.raises(StorageError, match="could not write run 'runs/"):
        RunsDir(Path("runs")).write_run(trace, {})


def test_artifacts_of_long_names_are_kept_apart() -> None:
    """A label of a hook's own making can lose nothing."""
    runs = RunsDir(Path())
    stamp, long = "20260102T030405000000Z", "x" * 200
    names = {
        runs.write_pack_artifact(stamp, long, long, long + end, 0).name for end in ("", "y", "z")
    }
    names |= {runs.write_run_artifact(Path(f"{stamp}_ab.json"), long, long, n).name for n in (1, 2)}
    assert len(names) == 5
    assert all(len(name) <= 255 for name in names)


def test_sweeps_that_begin_together_can_all_use_the_directory() -> None:
    """Each checks that it can write there, in the same instant."""
    together = threading.Barrier(4)
    refused: list[UsageError] = []

    def begin() -> None:
        together.wait()
        for _ in range(300):
            try:
                RunsDir(Path("runs")).prepare()
            except UsageError as error:
                refused.append(error)

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == []
