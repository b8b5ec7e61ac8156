"""Names that no folder can hold lose no run, and are refused as options like everything else."""

from __future__ import annotations

import pytest
from kit.commands import ledger, traces, write_pack, write_plugin, wt

LONG = "x" * 300


def test_a_model_whose_name_is_too_long_for_a_folder_loses_no_run() -> None:
    """The agent says it, after its turn was paid for."""
    source = write_pack(scenarios=[("one", "ok", [])])
    runtime = write_plugin(send="return {'content': 'ok', 'model': 'm' * 400}")
    ran = wt("run", "--pack-source", source, "--runtime", runtime)
    assert ran.code == 0
    assert len(traces()) == 1
    assert ledger()[0]["model"] == "m" * 400


def test_scenarios_and_labels_of_any_length_are_kept_apart() -> None:
    """Two names that begin alike get two folders."""
    source = write_pack(scenarios=[(LONG, "ok", []), (LONG + "y", "ok", []), ("漢" * 90, "ok", [])])
    ran = wt("run", "--pack-source", source, "--label", LONG)
    assert ran.code == 0
    assert len({path.parent for path in traces()}) == 3
    assert [row["label"] for row in ledger()] == [LONG] * 3


@pytest.mark.parametrize(
    ("arguments", "token"),
    [
        (["--runs", LONG], "expected an integer"),
        (["--soul", LONG], "--soul file not found"),
        (["--agents", LONG], "--agents file not found"),
        (["--format", "json", "--out", LONG], "cannot be written"),
        (["--runs-dir", LONG], "cannot write to the runs directory"),
        (["--runtime", f"{LONG}.py:X"], "could not load runtime plugin"),
        (["--label", "x", "--scenario", LONG], "unknown scenario(s)"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_option_of_any_length_is_refused_for_what_it_is(
    arguments: list[str], token: str
) -> None:
    """With exit 2, as for every other value that means nothing."""
    ran = wt("run", "--pack-source", write_pack(), *arguments)
    assert ran.code == 2
    assert token in ran.err
    assert "defect" not in ran.err
