"""Commands that read a runs directory, where that is no directory, or cannot be looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.commands import wt
from kit.saved_runs import save_run

READERS = {
    "results": ["results"],
    "results --json": ["results", "--json"],
    "ladder": ["results", "--ladder"],
    "compare": ["compare", "--labels", "a", "b"],
    "report": ["report"],
    "report json": ["report", "--format", "json"],
    "report markdown": ["report", "--format", "markdown"],
    "triage": ["triage"],
    "rescore": ["rescore"],
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("place", ["absent", "a file", "a pipe", "a loop", "n" * 300])
def test_what_is_no_directory_is_named_and_refused(reader: str, place: str) -> None:
    """1 would say that something became worse; triage informs and never fails. Nothing is made."""
    Path("a file").write_text("{}")
    os.mkfifo("a pipe")
    Path("a loop").symlink_to("a loop")
    before = sorted(Path().iterdir())
    ran = wt(*READERS[reader], "--runs", place)
    assert (ran.code, ran.out) == (0 if reader == "triage" else 2, "")
    (said,) = ran.err.splitlines()
    assert f"'{place}" in said
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("form", ["html", "json", "markdown"])
@pytest.mark.parametrize("target", ["there", "nowhere"])
def test_a_report_does_not_take_the_place_of_a_link_that_leads_nowhere(
    form: str, target: str
) -> None:
    """Whichever way Python says that it is one."""
    save_run(Path("runs"), 1)
    Path("there").symlink_to(target)
    ran = wt("report", "--format", form, "--out", "there")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("wt report: --out 'there' ")
    assert len(ran.err.splitlines()) == 1
    assert str(Path("there").readlink()) == target


def test_a_folder_that_is_named_like_a_file_of_ours_hides_no_run() -> None:
    """Nor does a pipe, or a link to itself; and none of them is waited for."""
    path = save_run(Path("runs"), 1)
    Path("runs/x.json").mkdir()
    os.mkfifo("runs/y.json")
    Path("runs/z.json").symlink_to("z.json")
    os.mkfifo(path.with_name("20260102T120009123456Z_00000009.json"))
    path.with_name("20260102T120009123456Z_00000009.score.json").write_text("{}")
    for reader in ("results", "report markdown", "triage"):
        ran = wt(*READERS[reader])
        assert ran.code == 0
        assert "20260102T120009123456Z_00000009.score.json (score without its trace)" in ran.err
    assert "1 run(s) under runs" in wt("results").out
