"""Naming what changed since a pass: parts and files, across commits and with modes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis.strategies as st
import pytest
from hypothesis import given
from kit.fingerprints import a_fingerprinter
from kit.repo import Repo, new_repo
from msgspec.structs import replace

from wt_git.evidence.changes import (
    MOST_FILES,
    Changes,
    FileListing,
    ListedFile,
    changed_parts,
    changes_since,
    describe_change,
    differing_files,
    listing_of_manifest,
    listing_of_snapshot,
    tree_source,
)
from wt_git.records.fingerprint import SNAPSHOT_FAILED, Manifest, write_manifest

if TYPE_CHECKING:
    from wt_git.evidence.fingerprint import Fingerprint

RUNS = Path("runs")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository in the working directory."""
    repo = new_repo(tmp_path / "r", {"a.py": "1", "sub/b.py": "1", "tool.sh": "#!/bin/sh\n"})
    monkeypatch.chdir(repo.path)
    return repo


def take() -> Fingerprint:
    """What is under test now, with its listing kept as a sweep does."""
    taken = a_fingerprinter().take()
    manifest, tree = taken.manifest(), taken.parts.git_tree
    assert manifest is not None
    assert tree is not None
    write_manifest(RUNS, tree, manifest)
    return taken


def since(then: Fingerprint, now: Fingerprint) -> Changes:
    return changes_since(then.parts.as_record(), then.value, now, RUNS)


def test_edited_new_and_deleted_files_are_named(here: Repo):
    """A path on one side only differs as well."""
    then = take()
    here.write({"sub/b.py": "2", "new": ""})
    (here.path / "a.py").unlink()
    assert since(then, take()).text() == "files: a.py, new, sub/b.py"


def test_files_are_named_though_commits_came_in_between(here: Repo):
    """Neither tree is in the repository; those of both HEADs are."""
    here.write({"a.py": "tried"})
    then = take()
    here.write({"a.py": "kept"})
    here.commit("kept")
    here.write({"sub/b.py": "2", "new": ""})
    assert since(then, take()).files == ("a.py", "new", "sub/b.py")


def test_a_pass_that_was_committed_as_it_was_differs_in_what_came_after(here: Repo):
    """Its tree is in the repository now, and says more than a listing."""
    here.write({"a.py": "fixed", "new": "x"})
    then = take()
    here.commit("fixed")
    here.write({"tool.sh": "#!/bin/sh\ntrue\n"})
    assert since(then, take()).files == ("tool.sh",)


def test_a_mode_alone_is_named(here: Repo):
    """The agent sees whether a file may be executed."""
    then = take()
    (here.path / "tool.sh").chmod(0o755)
    assert since(then, take()).files == ("tool.sh",)


def test_a_mode_that_was_committed_since_is_no_difference(here: Repo):
    """A listing has no modes; that the file is listed with its old content tells."""
    here.write({"a.py": "other"})
    (here.path / "tool.sh").chmod(0o755)
    then = take()
    here.git("add", "tool.sh")
    here.git("commit", "--quiet", "--message", "mode")
    here.write({"sub/b.py": "2"})
    assert since(then, take()).files == ("sub/b.py",)


def test_more_files_than_anybody_reads_are_counted(here: Repo):
    """Twelve are named, in order."""
    then = take()
    here.write({f"n{number:02d}": "" for number in range(20)})
    text = since(then, take()).text()
    assert text.endswith("n10, n11 (+8 more)")
    assert text.count(",") == MOST_FILES - 1


def test_without_a_listing_it_is_the_working_tree(here: Repo):
    """Listings are pruned, and only explain."""
    then = a_fingerprinter().take()
    here.write({"a.py": "2"})
    now = take()
    here.write({"a.py": "3"})
    assert since(now, take()).files == ("a.py",)
    unlisted = replace(then, parts=replace(then.parts, git_tree="9" * 40))
    assert since(unlisted, take()).text() == "the working tree"


def test_a_listing_whose_base_git_lost_says_the_working_tree(here: Repo):
    """It is differences from a tree that is gone."""
    write_manifest(RUNS, "8" * 40, Manifest("7" * 40, {"a.py": "1" * 40}))
    then = a_fingerprinter().take()
    lost = replace(then, parts=replace(then.parts, git_tree="8" * 40))
    assert since(lost, take()).text() == "the working tree"


def test_an_older_listing_of_every_file_is_compared_too(here: Repo):
    """It has no base."""
    then = take()
    tree = then.parts.git_tree
    assert tree is not None
    blobs = {path: here.git("hash-object", path) for path in ("a.py", "sub/b.py", "tool.sh")}
    source = tree_source(then.repository)  # type: ignore[arg-type]
    here.write({"a.py": "2"})
    now = take()
    assert now.snapshot is not None
    old = listing_of_manifest(Manifest(None, blobs))
    assert sorted(differing_files(old, listing_of_snapshot(now.snapshot), source)) == ["a.py"]


def test_a_name_that_is_not_utf8_is_named(here: Repo):
    """It is shown inert."""
    then = take()
    Path(os.fsdecode(b"odd-\xff")).write_text("x")
    assert since(then, take()).text() == "files: odd-\\udcff"


def test_parts_come_before_files_and_in_their_order(here: Repo):
    """`runtime` among them: a respelt plugin makes a pass stale too."""
    then = take()
    here.write({"a.py": "2"})
    now = take()
    old = {**then.parts.as_record(), "wt_version": "older", "model": "small", "runtime": "respelt"}
    changes = changes_since(old, then.value, now, RUNS)
    assert changes.text() == "changed: runtime, model, wt_version; files: a.py"


def test_nothing_recorded_is_said_when_no_part_differs(here: Repo):
    """A row whose fingerprint is not that of its parts."""
    now = take()
    assert since(now, now).text() == "nothing recorded"


def test_a_snapshot_that_failed_then_or_now_is_said(here: Repo):
    """There is no tree to compare."""
    now = take()
    then = changes_since(now.parts.as_record(), SNAPSHOT_FAILED, now, RUNS)
    assert then.text() == "the working tree, of which git could not take a snapshot then"
    failing = replace(now, value=SNAPSHOT_FAILED, snapshot=None)
    assert "cannot take a snapshot now" in since(now, failing).text()


def test_a_part_that_an_older_row_lacks_counts_as_null():
    """But not the target: rows are chosen by it."""
    now = a_fingerprinter().take()
    assert changed_parts({"runtime": "mine", "wt_version": "0"}, now.parts).parts == ("model",)


def test_outside_a_repository_parts_are_all_there_is(tmp_path: Path, monkeypatch):
    """Two states without a tree do not differ in files."""
    monkeypatch.chdir(tmp_path)
    now = a_fingerprinter().take()
    then = {**now.parts.as_record(), "soul": "sha256:1"}
    assert changes_since(then, "sha256:x", now, RUNS).text() == "changed: soul"


def test_within_a_sweep_another_commit_may_be_checked_out(here: Repo):
    """What is said about a row that is no evidence has the files too."""
    before = a_fingerprinter().take()
    here.write({"a.py": "2"})
    here.commit("while it ran")
    here.write({"sub/b.py": "2"})
    after = a_fingerprinter().take()
    assert describe_change(before, after) == "files: a.py, sub/b.py"
    lost = replace(
        after,
        value=SNAPSHOT_FAILED,
        snapshot=None,
        parts=replace(after.parts, git_tree=None),
    )
    assert "no longer take a snapshot" in describe_change(before, lost)


paths = st.sampled_from([b"a", b"b", b"c", b"d"])
modes = st.sampled_from([0o100644, 0o100755])
contents = st.builds(ListedFile, st.sampled_from(["1" * 40, "2" * 40]), modes)
overlays = st.dictionaries(paths, st.none() | contents)


@given(overlays, overlays)
def test_two_listings_on_one_base_differ_where_their_entries_do(before, after):
    """The rule by hand, over entries that all differ from the base."""
    got = sorted(differing_files(FileListing("0" * 40, before), FileListing("0" * 40, after), None))
    absent = object()
    expected = {
        os.fsdecode(path)
        for path in before.keys() | after.keys()
        if before.get(path, absent) != after.get(path, absent)
    }
    assert got == sorted(expected)


def test_the_first_files_are_named_and_the_others_counted():
    """Twelve of them are all named."""
    names = tuple(f"f{number:02}" for number in range(14))
    twelve = Changes(parts=(), tree=True, files=names[:12]).text()
    assert twelve == f"files: {', '.join(names[:12])}"
    assert (
        Changes(parts=("soul",), tree=True, files=names).text()
        == f"changed: soul; {twelve} (+2 more)"
    )
