"""Which rows of a ledger say what is working, and which are passed over."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.saved_runs import run_id, save_row
from kit.traces import texts

from wt_git.records.ledger.ledger import Ledger
from wt_git.records.ledger.row import ScenarioLabel


def latest(runs_dir, labels=None):
    return Ledger(runs_dir).results(labels)


def packs(rows) -> list[tuple[str | None, str | None]]:
    return sorted(((one.pack, one.tier) for one in rows), key=str)


PAIR = ScenarioLabel("lookup_order", "candidate")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ([("a", "focused"), ("a", "regression")], [("a", "regression")]),
        ([("a", "focused"), ("a", "probe")], [("a", "focused")]),
        ([("a", "probe")], [("a", "probe")]),
        ([("a", "focused"), ("b", "probe")], [("a", "focused"), ("b", "probe")]),
        ([(None, "focused"), ("b", "probe")], [(None, "focused")]),
        ([("a", "focused"), (None, "probe")], [("a", "focused")]),
        ([(None, "focused"), ("a", "focused")], [("a", "focused")]),
        ([("a", "focused"), ("b", "focused"), (None, None)], [(None, None)]),
        ([(None, "probe"), ("a", "probe")], [("a", "probe")]),
    ],
)
def test_the_last_row_of_each_pack_counts_and_a_probe_only_alone(tmp_path, written, kept):
    """A row without a pack, of an older writer, is about whichever pack it was."""
    for pack, tier in written:
        save_row(tmp_path, [1], pack=pack, experiment={"tier": tier})
    found, _ = latest(tmp_path)
    assert packs(found[PAIR]) == kept


def test_rows_are_read_leniently(tmp_path):
    """What is of another kind is unknown; a row without scenario or label is about nothing."""
    save_row(tmp_path, [], run_ids=["x", 7, None, run_id(1)], verdict=7, experiment={"tier": []})
    save_row(tmp_path, [1], scenario=7)
    save_row(tmp_path, [1], label=None)
    save_row(tmp_path, [1], scenario="old", experiment=None)
    found, skipped = latest(tmp_path)
    assert set(found) == {PAIR, ScenarioLabel("old", "candidate")}
    (kept,) = found[PAIR]
    assert (kept.run_ids, kept.verdict, kept.tier) == (frozenset({"x", run_id(1)}), None, None)
    assert skipped == 0
    assert latest(tmp_path / "absent") == ({}, 0)


@pytest.mark.parametrize("version", [2, "1", True, None])
def test_a_row_of_another_version_is_none_and_counted(tmp_path, version):
    """It stands in the way of no older one."""
    save_row(tmp_path, [1])
    save_row(tmp_path, [2], windtunnel_ledger=version)
    found, skipped = latest(tmp_path)
    assert found[PAIR][0].run_ids == {run_id(1)}
    assert skipped == 1


labels = st.sampled_from(["a", "b", 'a"', "ü", "a\\", "\u2028", "a b"]) | texts()


@given(st.lists(labels, max_size=5), st.sets(labels, max_size=2), st.booleans())
def test_asking_for_labels_changes_nothing_about_them(tmp_path_factory, written, asked, ascii_only):
    """However they are written, and whatever is broken between them."""
    folder = tmp_path_factory.mktemp("runs")
    rows: list[dict[str, Any]] = [
        {"windtunnel_ledger": 1, "scenario_id": f"s{n}", "label": label, "run_ids": [str(n)]}
        for n, label in enumerate(written)
    ]
    lines = [json.dumps(one, ensure_ascii=ascii_only) for one in rows]
    text = "".join(f"{line}\n{line[: len(line) // 2]}\n\r\n" for line in lines)
    (folder / "ledger.ndjsonl").write_bytes(text.encode("utf-8", "replace"))
    everything, broken = latest(folder)
    found, skipped = latest(folder, frozenset(asked))
    assert found == {pair: of for pair, of in everything.items() if pair.label in asked}
    assert skipped == broken == len(written)
