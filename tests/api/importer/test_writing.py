"""An import is written whole, into a folder of its own or over an earlier one."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from kit.conversations import call, envelope, envelopes, message, response

from wt_git.api.importer import ImportResult, write_imported_scenario
from wt_git.api.interchange import InterchangeFormatError, parse_interchange
from wt_git.api.universe import UniverseFormatError, load_universe

FILES = ["IMPORTED.md", "fixture.universe.json", "scenario.py", "scorer.py"]


def contents(folder):
    """What is in a folder, by name."""
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def test_four_files_are_written_and_named():
    """Folders above are made too."""
    raw = envelope(tool_definitions=[{"name": "spare"}])
    result = write_imported_scenario(raw, "a/b/orders")
    out = Path("a/b/orders")
    assert result == ImportResult(
        out_dir=out,
        scenario_path=out / "scenario.py",
        universe_path=out / "fixture.universe.json",
        scorer_path=out / "scorer.py",
        imported_path=out / "IMPORTED.md",
        evidence_source="reconstructed",
        stubbed_tool_schemas=("spare", "order_query"),
        recordings=1,
    )
    assert [*contents(out)] == FILES
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.recordings = 2


def test_the_fixture_is_a_universe():
    """Two-space JSON with its policy spelt out."""
    result = write_imported_scenario(envelope(), "orders")
    written = result.universe_path.read_text("utf-8")
    assert json.loads(written)["matching"]["on_miss"] == "fail_call"
    assert written.endswith("}\n")
    assert load_universe(result.universe_path).recordings[0].result == {"open": 75}


def test_a_second_import_replaces_its_four_files_and_nothing_else():
    """What a person put beside them stays."""
    write_imported_scenario(envelope(), "orders")
    before = contents("orders")
    Path("orders/scenario.py").write_text("edited")
    Path("orders/notes.txt").write_text("mine")
    write_imported_scenario(envelope(), "orders")
    assert contents("orders") == {**before, "notes.txt": b"mine"}


@given(envelopes())
def test_the_same_conversation_gives_the_same_bytes(raw):
    """From a document as from a value, and no half files are left."""
    first = write_imported_scenario(raw, "one/orders")
    written = contents("one/orders")
    write_imported_scenario(parse_interchange(json.loads(json.dumps(raw))), "one/orders")
    assert contents("one/orders") == written
    assert [*written] == FILES
    assert len(load_universe(first.universe_path).recordings) == first.recordings


def test_what_cannot_be_imported_leaves_nothing(subtests):
    """Not even the folder."""
    for raw, options, error in [
        ({}, {}, InterchangeFormatError),
        (envelope(tool_definitions=[{"name": "a"}] * 2), {}, UniverseFormatError),
        (envelope(), {"scenario_name": " "}, ValueError),
    ]:
        with subtests.test(raw=raw, options=options, error=error):
            with pytest.raises(error):
                write_imported_scenario(raw, "a/orders", **options)
            assert not Path("a").exists()


def test_a_file_that_cannot_be_replaced_is_seen_before_anything_is_written():
    """The other three are as they were."""
    write_imported_scenario(envelope(), "orders")
    Path("orders/IMPORTED.md").unlink()
    Path("orders/IMPORTED.md").mkdir()
    Path("orders/scorer.py").write_text("mine")
    with pytest.raises(IsADirectoryError):
        write_imported_scenario(envelope(message("user")), "orders")
    assert Path("orders/scorer.py").read_text() == "mine"


def test_a_folder_that_cannot_be_made_leaves_none_of_those_above():
    """Half a path is nothing that anybody asked for."""
    with pytest.raises(OSError, match="too long"):
        write_imported_scenario(envelope(), f"a/b/{'n' * 300}")
    assert not Path("a").exists()


def test_a_link_is_replaced_and_what_it_leads_to_is_not():
    """An import writes into its folder only."""
    Path("elsewhere").write_text("mine")
    Path("orders").mkdir()
    Path("orders/scenario.py").symlink_to("../elsewhere")
    write_imported_scenario(envelope(), "orders")
    assert Path("elsewhere").read_text() == "mine"
    assert not Path("orders/scenario.py").is_symlink()


def test_results_are_kept_as_they_were_recorded():
    """Also where they are no objects, and of calls with equal arguments in their order."""
    raw = envelope(
        message("assistant", call("1", "t"), call("2", "t")),
        message("tool", response("1", None), response("2", [1.0, True, "é\ud800"])),
    )
    universe = load_universe(write_imported_scenario(raw, "orders").universe_path)
    assert [one.result for one in universe.recordings] == [None, [1.0, True, "é\ud800"]]
