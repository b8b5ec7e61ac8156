"""`--hook` with installed hooks: what they leave, and that whatever they do changes no verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit.commands import Ran, ledger, traces, write_pack, wt_process

HOOKS = """
import sys
from windtunnel.spi import Hook


class Good(Hook):
    name = "good"

    def on_run_scored(self, context):
        context.emit_artifact({"verdict": context.score.outcome.passed})
        context.warn("seen")

    def on_scenario_end(self, context):
        context.emit_artifact(["scenario"], "end")
        context.warn("of the scenario")

    def on_pack_end(self, context):
        context.emit_artifact(len(context.aggregate))


class Raises(Hook):
    name = "raises"

    def on_provisioned(self, context):
        1 / 0

    on_run_start = on_run_scored = on_run_end = on_scenario_end = on_pack_end = on_provisioned


class Exits(Hook):
    name = "exits"

    def on_provisioned(self, context):
        sys.exit(0)

    on_run_start = on_run_scored = on_run_end = on_scenario_end = on_pack_end = on_provisioned


class Score(Hook):
    name = "score"


class Capitals(Hook):
    name = "Capitals"


class Unreadable(Hook):
    name = property(lambda self: 1 / 0)


class Unmade(Hook):
    def __init__(self):
        1 / 0


NUMBER = 5
"""
NAMES = {
    "good": "Good",
    "raises": "Raises",
    "exits": "Exits",
    "takes-score": "Score",
    "capitals": "Capitals",
    "unreadable": "Unreadable",
    "unmade": "Unmade",
    "number": "NUMBER",
    "absent": "Nothing",
}


def _run(*hooks: str, more: tuple[str, ...] = ()) -> Ran:
    """Run a pack with installed `hooks`; one scenario passes and one fails."""
    site = Path("site")
    info = site / "my_hooks-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-hooks\nVersion: 1\n")
    points = "\n".join(f"{name} = my_hooks:{value}" for name, value in NAMES.items())
    (info / "entry_points.txt").write_text(f"[windtunnel.hooks]\n{points}\n")
    (site / "my_hooks.py").write_text(HOOKS)
    named = [word for hook in hooks for word in ("--hook", hook)]
    return wt_process(
        *("run", "--pack-source", write_pack(), "--label", "x", *named, *more),
        env={"PYTHONPATH": str(site.resolve())},
    )


def test_what_a_hook_leaves_stands_beside_what_it_is_about() -> None:
    """A run's artifact beside its trace, a scenario's and the sweep's in the runs directory."""
    ran = _run("good")
    assert ran.code == 1
    for trace in traces():
        beside = trace.with_name(f"{trace.stem}.good.json")
        assert set(json.loads(beside.read_text())) == {"verdict"}
        assert "hook:good: seen" in json.loads(trace.read_text())["worker_warnings"]
    assert "wt run: warning: hook:good: of the scenario" in ran.err
    ends = sorted(path.name.partition(".")[2] for path in Path("runs").glob("*.pack.json"))
    assert ends == ["good.fails.end.pack.json", "good.pack.json", "good.passes.end.pack.json"]
    [whole] = Path("runs").glob("*Z.good.pack.json")
    assert json.loads(whole.read_text()) == 2


@pytest.mark.parametrize(("hook", "said"), [("raises", "division by zero"), ("exits", "exit(0)")])
def test_a_hook_that_fails_everywhere_changes_nothing(hook: str, said: str) -> None:
    """It is a warning on each run, and the next hook still sees everything."""
    ran = _run(hook, "good")
    assert ran.code == 1
    assert [row["verdict"] for row in ledger()] == ["PASS", "FAIL"]
    assert f"warning: hook:{hook}: " in ran.err
    for trace in traces():
        warnings = json.loads(trace.read_text())["worker_warnings"]
        mine = [text for text in warnings if text.startswith(f"hook:{hook}:")]
        assert len(mine) == 3
        assert all(said in text for text in mine)
        assert "hook:good: seen" in warnings


@pytest.mark.parametrize(
    ("hooks", "token"),
    [
        (("takes-score",), "would overwrite the score"),
        (("capitals",), "must match [a-z0-9_-]+"),
        (("unreadable",), "must match [a-z0-9_-]+"),
        (("unmade",), "could not load hook 'unmade'"),
        (("absent",), "could not load hook 'absent'"),
        (("number",), "it is a int without any of the methods of a hook"),
        (("good", "good"), "named 2 times"),
        (("goood",), "did you mean good?"),
    ],
    ids=str,
)
def test_what_is_no_usable_hook_is_refused_before_anything_runs(
    hooks: tuple[str, ...], token: str
) -> None:
    """With exit 2 and one line that says why."""
    ran = _run(*hooks)
    assert ran.code == 2
    assert token in ran.err
    assert not Path("runs").exists()


def test_hooks_hold_a_sweep_to_one_job_at_a_time() -> None:
    """They may keep state between runs."""
    ran = _run("good", more=("--scheduler", "concurrent", "--max-concurrency", "3"))
    assert "lifecycle hooks are active" in ran.err
    assert "at once" not in ran.err
