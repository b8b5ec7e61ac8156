"""The ladder as its users meet it: budgets, questions, what is earned, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from kit.commands import (
    DECLARED,
    Ran,
    events,
    experiments,
    ledger,
    start_wt,
    whole_lines,
    write_pack,
    write_plugin,
    wt,
)
from kit.projects import path_with_wt
from kit.repo import Repo, new_repo

BOTH = [("first", "ok", []), ("second", "ok", [])]
SLOW = "time.sleep(0.25)"
HOLDING = """
        import os, pathlib

        file = pathlib.Path(os.environ.get("HELD_UNTIL_QUEUED_IN", ""), "events.ndjsonl")
        while os.environ.get("HELD_UNTIL_QUEUED_IN"):
            if file.exists() and "lock_waiting" in file.read_text():
                time.sleep(0.7)
                break
            time.sleep(0.01)
"""
"""An agent that answers at once, or some time after another sweep queued for the runtime."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a pack of two scenarios that pass, and the test in it."""
    repo = new_repo(tmp_path / "project")
    monkeypatch.chdir(repo.path)
    write_pack(scenarios=BOTH)
    repo.commit("an agent")
    return repo


def run(*arguments: str, declared: bool = True, runtime: str | None = None) -> Ran:
    """Run the pack with what the caller adds."""
    more = DECLARED if declared else ()
    named = ("--runtime", runtime) if runtime else ()
    return wt("run", "--pack-source", "pack.py:PACK", *named, *more, *arguments)


def focused(name: str = "first", *arguments: str, runtime: str | None = None) -> Ran:
    """Run one scenario, which must pass."""
    ran = run("--scenario", name, *arguments, runtime=runtime)
    assert ran.code == 0, ran.err
    return ran


def experiment(row: dict[str, Any]) -> dict[str, Any]:
    return row["experiment"]


def records(ran: Ran) -> list[dict[str, Any]]:
    """Return what `--json` printed: every line of stdout is a record."""
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert all(record["windtunnel_run"] == 1 for record in found)
    return found


# Budgets


def test_a_spent_budget_starts_no_further_run_and_says_so_everywhere(here: Repo) -> None:
    """The run in flight ends, the row holds what there is, the sweep exits 1."""
    plugin = write_plugin(send=SLOW)
    ran = run("--scenario", "first", "--runs", "9", "--budget", "0.4", runtime=plugin)
    assert ran.code == 1
    assert "focused sweep, budget 0.4s" in ran.err
    assert "budget of 0.4s spent" in ran.err
    assert "; not all runs of: first; " in ran.err
    assert "prediction MISSED: expected pass, got fail" in ran.err
    (row,) = ledger()
    assert 1 <= row["runs"] < 9
    assert row["verdict"] == "PASS"
    assert experiment(row)["budget_exhausted"] is True
    assert experiment(row)["budget_s"] == 0.4
    (record,) = experiments()
    assert (record["budget_exhausted"], record["outcome"]) == (True, "fail")
    assert (record["status"], record["prediction_held"]) == ("completed", False)
    assert events()[0]["budget_s"] == 0.4
    assert events()[-1]["budget_exhausted"] is True


def test_a_budget_that_skips_whole_scenarios_names_them(here: Repo) -> None:
    """Rows from before it was spent keep saying so; the sweep's record has the final word."""
    plugin = write_plugin(send=SLOW)
    ran = run("--budget", "0.2", runtime=plugin)
    assert ran.code == 1
    assert "regression sweep, budget 0.2s" in ran.err
    assert "; not started: second" in ran.err
    (row,) = ledger()
    assert (row["scenario_id"], experiment(row)["budget_exhausted"]) == ("first", False)
    (record,) = experiments()
    assert (record["budget_exhausted"], record["not_started"]) == (True, ["second"])


def test_a_last_run_that_overruns_its_budget_is_a_whole_sweep(here: Repo) -> None:
    """Nothing was cut short."""
    plugin = write_plugin(send=SLOW)
    ran = run("--scenario", "first", "--budget", "0.1", runtime=plugin)
    assert ran.code == 0, ran.err
    assert experiment(ledger()[0])["budget_exhausted"] is False


def test_a_sweep_cut_short_is_evidence_for_nothing(here: Repo) -> None:
    """What passed before the budget was spent earns no regression."""
    plugin = write_plugin(send=SLOW)
    run(declared=False, runtime=plugin)
    run("--scenario", "first", "--runs", "9", "--budget", "0.3", runtime=plugin)
    assert ledger()[-1]["verdict"] == "PASS"
    ran = run(runtime=plugin)
    assert ran.code == 2
    assert "nothing has earned it" in ran.err


def test_the_clock_starts_when_the_runtime_is_held(here: Repo) -> None:
    """Time in the queue is not charged, time of building is."""
    write_pack("pack.py", scenarios=BOTH)
    plugin = write_plugin(send=HOLDING, max_concurrency="1")
    arguments = ("run", "--pack-source", "pack.py:PACK", "--runtime", plugin)
    held = {**os.environ, "HELD_UNTIL_QUEUED_IN": "other"}
    holder = start_wt(*arguments, "--scenario", "first", env=held)
    _until(lambda: Path("runs/events.ndjsonl").exists() and len(events()) > 1)
    waited = wt(*arguments, "--scenario", "second", "--budget", "0.6", "--runs-dir", "other")
    holder.communicate(timeout=60)
    assert holder.returncode == 0
    assert waited.code == 0, waited.err
    assert "acquired after" in waited.err


def test_building_the_runtime_is_charged(here: Repo) -> None:
    """The first scenario finds the budget spent when building took longer."""
    plugin = write_plugin(build="time.sleep(0.5)")
    ran = run("--scenario", "first", "--budget", "0.3", runtime=plugin)
    assert ran.code == 1
    assert "not started: first" in ran.err
    assert not ledger()


def test_a_repositorys_caps_hold_and_are_named(here: Repo) -> None:
    """`--budget` may lower them only."""
    here.write({"pyproject.toml": "[tool.windtunnel.ladder]\nfocused_budget_s = 20\n"})
    assert "budget 20s" in focused().err
    ran = run("--scenario", "first", "--budget", "20.5")
    assert ran.code == 2
    assert "--budget 20.5 exceeds the focused tier cap of 20 seconds" in ran.err


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon"])
def test_a_budget_is_a_finite_number_of_seconds(here: Repo, value: str) -> None:
    """An infinite budget would be none, and no JSON either."""
    ran = run("--scenario", "first", f"--budget={value}")
    assert ran.code == 2
    assert "expected a number" in ran.err or "must be greater than 0" in ran.err
    assert not Path("runs").exists()


def test_neither_label_nor_runs_nor_selectors_make_another_tier(here: Repo) -> None:
    """What is selected counts, not how."""
    one = ("--tag", "lonely", "--runs", "2", "--label", "regression")
    write_pack(scenarios=[*BOTH, ("third", "ok", ["lonely"])])
    assert "focused sweep" in run(*one, declared=False).err
    two = run("--scenario", "*d", "--label", "focused", "--dry-run")
    assert "tier:       regression (second, third)" in two.out
    assert {experiment(row)["tier"] for row in ledger()} == {"focused"}


# Questions


def test_a_directory_with_history_asks_what_for(here: Repo) -> None:
    """Every tier; the first sweep needs nothing. The refused call leaves nothing behind."""
    assert run("--scenario", "first", declared=False).code == 0
    before = sorted(Path("runs").rglob("*"))
    for selection in (("--scenario", "first"), ()):
        ran = run(*selection, declared=False)
        assert ran.code == 2
        assert "the runs directory 'runs' has history" in ran.err
        assert ' --question "…" --expect pass' in ran.err
    after = [path for path in sorted(Path("runs").rglob("*")) if "index" not in path.name]
    assert after == [path for path in before if "index" not in path.name]


def test_a_row_of_any_shape_is_history(here: Repo) -> None:
    """Whatever its age and target; a torn line is none."""
    Path("runs").mkdir()
    Path("runs/ledger.ndjsonl").write_text('{"torn')
    assert run("--scenario", "first", "--dry-run", declared=False).code == 0
    Path("runs/ledger.ndjsonl").write_text('{"scenario_id": "old"}\n')
    assert run("--scenario", "first", declared=False).code == 2


def test_free_text_is_recorded_as_given_and_the_plan_repeated(here: Repo) -> None:
    """In every row and in the record; what applies is repeated at the end."""
    question = "does « ü » \u2028 work?\n second line "
    ran = run(
        *("--scenario", "first", "--question", question, "--expect", "fail"),
        *("--if-pass", "ship it", "--if-fail", "probe turn 2"),
        declared=False,
    )
    assert ran.code == 0
    assert "prediction MISSED: expected fail, got pass" in ran.err
    assert "you planned, on this outcome: ship it" in ran.err
    assert "probe turn 2" not in ran.err
    for record in (experiment(ledger()[0]), experiments()[0]):
        assert record["question"] == question
        assert (record["if_pass"], record["if_fail"]) == ("ship it", "probe turn 2")
    assert experiments()[0]["prediction_held"] is False


# The gate


def test_a_newcomer_who_is_refused_can_paste_the_printed_command(here: Repo) -> None:
    """The whole way: refused, the printed command pasted into a shell, admitted."""
    write_pack(scenarios=[("odd [name] *", "nope", []), ("second", "ok", [])])
    assert run(declared=False).code == 1
    write_pack(scenarios=[("odd [name] *", "ok", []), ("second", "ok", [])])
    refused = run("--json")
    assert refused.code == 2
    (record,) = records(refused)
    (command,) = record["commands"]
    assert command in refused.err
    pasted = subprocess.run(
        command,
        check=False,
        shell=True,
        env={"PATH": path_with_wt()},
        capture_output=True,
        text=True,
    )
    assert pasted.returncode == 0, pasted.stderr
    assert "(3/3 pass" in pasted.stdout
    admitted = run()
    assert admitted.code == 0, admitted.err
    rows = ledger()
    assert experiment(rows[-1])["earned_by"] == rows[2]["sweep_id"]
    assert experiment(rows[-1])["evidence_for"] == [rows[0]["sweep_id"]]


def test_what_made_a_pass_stale_is_named(here: Repo) -> None:
    """The file that changed after it, and the hint for files that tools write."""
    run(declared=False)
    focused()
    here.write({"prompts/refund.md": "new"})
    ran = run()
    assert ran.code == 2
    assert "since then files: prompts/refund.md" in ran.err
    assert "gitignore it" in ran.err


def test_an_edit_of_the_ladders_own_configuration_makes_a_pass_stale(here: Repo) -> None:
    """The settings are part of what is under test."""
    run(declared=False)
    focused()
    here.write({"pyproject.toml": "[tool.windtunnel.ladder]\nprobe_budget_s = 10\n"})
    ran = run()
    assert ran.code == 2
    assert "since then files: pyproject.toml" in ran.err


def test_every_regression_is_earned_afresh(here: Repo) -> None:
    """Also after a clean one on unchanged code."""
    run(declared=False)
    focused()
    assert run().code == 0
    ran = run()
    assert ran.code == 2
    assert "nothing has earned it" in ran.err
    assert "wt results --runs runs" in ran.err


def test_a_failure_left_out_is_named_recorded_and_stays_gated(here: Repo) -> None:
    """It comes back as soon as the selection includes it."""
    three = [*BOTH, ("third", "nope", [])]
    write_pack(scenarios=three)
    assert run(declared=False).code == 1
    focused()
    ran = run("--scenario", "first", "--scenario", "second")
    assert ran.code == 0
    assert "most recent regression run failed: third" in ran.err
    assert experiment(ledger()[-1])["excluded_failing"] == ["third"]
    assert experiment(ledger()[-1])["excluded_failing_ids"] == [
        {"pack": "demo", "scenario": "third"}
    ]
    assert experiment(ledger()[-1])["evidence_for"] == []
    focused()
    again = run()
    assert again.code == 2
    assert "demo/third" in again.err


def test_another_model_is_another_thing_under_test(here: Repo) -> None:
    """A pass on it earns nothing, and the refusal names the model."""
    write_plugin(more="def model_label(self, name): import os; return os.environ['MODEL']")
    arguments = ("run", "--pack-source", "pack.py:PACK", "--runtime", "plugin.py:PLUGIN", *DECLARED)
    assert wt(*arguments, env={"MODEL": "big"}).code == 0
    assert wt(*arguments, "--scenario", "first", env={"MODEL": "small"}).code == 0
    ran = wt(*arguments, env={"MODEL": "big"})
    assert ran.code == 2
    assert "since then changed: model" in ran.err
    assert ledger()[-1]["experiment"]["fingerprint_parts"]["model"] == "small"


def test_a_repository_says_what_each_tier_runs_on(here: Repo) -> None:
    """Refused before anything is built, with the labels that are allowed."""
    here.write({"pyproject.toml": '[tool.windtunnel.ladder.models]\nfocused = ["big"]\n'})
    write_plugin(
        build="raise SystemError('built')",
        more="def model_label(self, name): return 'small'",
    )
    ran = run("--scenario", "first", runtime="plugin.py:PLUGIN")
    assert ran.code == 2
    assert "must use one of: big; this runtime uses 'small'" in ran.err
    unlabelled = run("--scenario", "first")
    assert "does not report which model" in unlabelled.err
    assert run(declared=False).code == 0, "a tier that is not listed runs on any model"


def test_one_pass_does_not_admit_two_regressions_that_queue(here: Repo) -> None:
    """The gate decides again once the runtime is held; the second is refused and leaves no row."""
    plugin = write_plugin(send=HOLDING, max_concurrency="1")
    run(declared=False, runtime=plugin)
    focused(runtime=plugin)
    arguments = ("run", "--pack-source", "pack.py:PACK", "--runtime", plugin, *DECLARED, "--json")
    held = {**os.environ, "HELD_UNTIL_QUEUED_IN": "runs"}
    both = [start_wt(*arguments, env=held) for _ in range(2)]
    ended = [(process.communicate(timeout=60), process.returncode) for process in both]
    assert sorted(code for _, code in ended) == [0, 2]
    ((out, err),) = [output for output, code in ended if code == 2]
    kinds = [json.loads(line)["kind"] for line in out.splitlines()]
    assert kinds == ["launched", "refused"]
    assert "nothing has earned it" in err
    assert [experiment(row)["tier"] for row in ledger()] == ["regression"] * 2 + ["focused"] + [
        "regression"
    ] * 2
    assert len(experiments()) == 3
    last = [event for event in events() if event["event"] == "sweep_finished"]
    assert sorted(event["status"] for event in last) == ["completed"] * 3 + ["refused"]
    (refused,) = [event for event in last if event["status"] == "refused"]
    assert refused["exit_code"] == 2


# Money


PRICES = """
[tool.windtunnel.ladder]
max_cost = 1.0

[tool.windtunnel.ladder.pricing.models]
default = {{ input_per_m = 100000.0, output_per_m = 0 }}
{more}
"""
TOKENS = "return {'content': 'ok', 'usage': {'input_tokens': 1, 'output_tokens': 0}}"


def test_a_ceiling_in_money_starts_no_run_beyond_it(here: Repo) -> None:
    """A run costs 0.1: with 0.35 there are three; the sweep ends as one out of budget does."""
    here.write({"pyproject.toml": PRICES.format(more="")})
    plugin = write_plugin(send=TOKENS)
    ran = run("--scenario", "first", "--runs", "9", "--max-cost", "0.35", runtime=plugin)
    assert ran.code == 1
    assert "ceiling of $0.35 reached" in ran.err
    (row,) = ledger()
    assert row["runs"] == 3
    assert experiment(row)["budget_exhausted"] is True
    assert experiment(row)["cost_usd"]["uncached_input"] == 0.3
    assert experiments()[0]["budget_exhausted"] is True


def test_the_repositorys_ceiling_holds_without_the_option(here: Repo) -> None:
    """History says what a run costs, so that not even the last one goes beyond."""
    here.write({"pyproject.toml": PRICES.format(more="")})
    plugin = write_plugin(send=TOKENS)
    assert run("--scenario", "first", runtime=plugin).code == 0
    ran = run("--scenario", "first", "--runs", "20", runtime=plugin)
    assert ran.code == 1
    assert ledger()[-1]["runs"] == 10


def test_time_before_the_first_run_is_paid_for_too(here: Repo) -> None:
    """At one a second, half a second of provisioning leaves nothing of a ceiling of 0.3."""
    prices = (
        "[tool.windtunnel.ladder.pricing]\ntime_per_hour = 3600\n"
        "[tool.windtunnel.ladder.pricing.models]\ndefault = {input_per_m = 0, output_per_m = 0}\n"
    )
    here.write({"pyproject.toml": prices})
    plugin = write_plugin(send=TOKENS, provision="time.sleep(0.5)")
    ran = run("--scenario", "first", "--runs", "9", "--max-cost", "0.3", runtime=plugin)
    assert ran.code == 1
    assert ledger()[0]["runs"] == 1


def test_a_ceiling_without_prices_or_above_the_repositorys_is_refused(here: Repo) -> None:
    """The option may lower it, never raise it."""
    ran = run("--scenario", "first", "--max-cost", "1")
    assert ran.code == 2
    assert "[tool.windtunnel.ladder.pricing]" in ran.err
    here.write({"pyproject.toml": PRICES.format(more="")})
    ran = run("--scenario", "first", "--max-cost", "1.01")
    assert ran.code == 2
    assert "exceeds the max_cost of 1" in ran.err


def test_the_cost_block_says_what_was_asked_and_what_it_took(here: Repo) -> None:
    """Question, tokens, wall time, money."""
    here.write({"pyproject.toml": PRICES.format(more="")})
    ran = run("--scenario", "first", runtime=write_plugin(send=TOKENS))
    assert "wt run: cost — 'does it still work?'" in ran.err
    assert "wt run:   tokens: 1 in (" in ran.err
    assert "wt run:   $ uncached 0.1000" in ran.err


# Dry runs, records, notes


def test_a_dry_run_says_all_and_writes_nothing(here: Repo) -> None:
    """Not even the runs directory."""
    ran = run("--runs", "3", "--dry-run", declared=False)
    assert ran.code == 0
    assert not Path("runs").exists()
    assert "tier:       regression (first, second)" in ran.out
    assert "runs:       6 (2 x 3)" in ran.out
    assert "time:       not known" in ran.out
    assert "would run:  yes, the first experiment against a target need not be earned" in ran.out


def test_a_dry_run_of_what_is_not_earned_says_why(here: Repo) -> None:
    """Exit 2, with the forecast all the same, and the refusal that `wt run` gives."""
    run(declared=False)
    before = {path: path.read_bytes() for path in Path("runs").rglob("*") if path.is_file()}
    ran = run("--dry-run")
    assert ran.code == 2
    assert "time:       about " in ran.out
    assert "would run:  no" in ran.out
    assert "nothing has earned it" in ran.err
    after = {path: path.read_bytes() for path in Path("runs").rglob("*") if path.is_file()}
    assert after == before


def test_a_dry_run_says_what_its_limits_will_not_allow(here: Repo) -> None:
    """It is asked for in order not to be cut short."""
    here.write({"pyproject.toml": PRICES.format(more="")})
    plugin = write_plugin(send=f"time.sleep(0.1); {TOKENS}")
    assert run("--scenario", "first", runtime=plugin).code == 0
    ran = run("--scenario", "first", "--runs", "2", "--dry-run", runtime=plugin)
    assert "budget:     900s, at most $1\n" in ran.out
    assert "more than" not in ran.out
    few = ("--scenario", "first", "--runs", "9", "--budget", "0.2", "--max-cost", "0.85")
    ran = run(*few, "--dry-run", runtime=plugin)
    assert ran.code == 0
    assert "from 1 earlier run(s); more than the budget\n" in ran.out
    assert "about $0.9000, from 1 earlier run(s); more than the ceiling\n" in ran.out


def test_a_dry_run_for_programs_is_two_records(here: Repo) -> None:
    """What the sweep would be, and whether it would be admitted."""
    forecast, allowed = records(run("--scenario", "first", "--dry-run", "--json"))
    assert (forecast["kind"], forecast["tier"], forecast["runs"]) == ("forecast", "focused", 1)
    assert allowed == {
        "windtunnel_run": 1,
        "kind": "allowed",
        "earned_by": None,
        "evidence_for": [],
        "excluded_failing": [],
    }


def test_records_for_programs_are_all_that_stdout_holds(here: Repo) -> None:
    """One launch record and one final record, agreeing with what is on disk."""
    write_pack(scenarios=[("first", "ok", []), ("second", "nope", [])])
    ran = run("--json", declared=False)
    assert ran.code == 1
    launched, finished = records(ran)
    (record,) = experiments()
    assert (launched["kind"], launched["tier"]) == ("launched", "regression")
    assert launched["sweep_id"] == finished["sweep_id"] == record["sweep_id"]
    assert whole_lines(Path(launched["events"])) == events()
    assert finished["cost"] == record["cost"]
    assert (finished["exit_code"], finished["outcome"]) == (1, "fail")
    assert [
        {key: one[key] for key in ("pack", "scenario", "verdict")} for one in finished["verdicts"]
    ] == [
        {"pack": "demo", "scenario": "first", "verdict": "PASS"},
        {"pack": "demo", "scenario": "second", "verdict": "FAIL"},
    ]
    assert "PASS    first" in ran.err


def test_a_program_is_told_that_the_prompt_cache_failed_the_sweep(here: Repo) -> None:
    """All verdicts are PASS then, and the exit code is 1."""
    _, finished = records(run("--json", declared=False))
    assert "cache_check" not in finished
    here.write({"pyproject.toml": "[tool.windtunnel.cache]\nfail_on_miss = true\n"})
    _, finished = records(run("--scenario", "first", "--json"))
    assert (finished["exit_code"], finished["verdicts"][0]["verdict"]) == (1, "PASS")
    assert finished["cache_check"] == experiments()[-1]["cache_check"]
    assert finished["cache_check"]["result"] == "unknown"


def test_a_busy_runtime_is_a_refusal_that_trying_again_can_help(here: Repo) -> None:
    """Exit 75, and the holder among the facts."""
    wait = "\n        while not __import__('os').path.exists('released'): time.sleep(0.01)"
    plugin = write_plugin(send=wait, max_concurrency="1")
    arguments = ("run", "--pack-source", "pack.py:PACK", "--runtime", plugin, "--scenario", "first")
    holder = start_wt(*arguments)
    _until(lambda: Path("runs/events.ndjsonl").exists() and len(events()) > 1)
    ran = wt(*arguments, "--runs-dir", "other", "--no-wait", "--json")
    Path("released").touch()
    holder.communicate(timeout=60)
    assert holder.returncode == 0
    assert ran.code == 75
    launched, refused = records(ran)
    assert (launched["kind"], refused["kind"]) == ("launched", "refused")
    assert (refused["code"], refused["retryable"]) == ("busy", True)
    assert refused["facts"]["holder"]["pid"] == holder.pid
    assert not ledger("other")
    assert not experiments("other")


def test_a_fresh_runs_directory_beside_one_with_history_is_pointed_out(here: Repo) -> None:
    """Starting over is allowed, and said; for another target it is nothing to speak of."""
    focused()
    ran = run("--runs-dir", "elsewhere", declared=False)
    assert ran.code == 0
    assert "note: 'elsewhere' is fresh, while 'runs' has history for this target" in ran.err
    assert experiment(ledger("elsewhere")[0])["baseline"] is True
    again = run("--runs-dir", "elsewhere", "--scenario", "first")
    assert "is fresh" not in again.err
    other = run("--runs-dir", "third", declared=False, runtime=write_plugin())
    assert "is fresh" not in other.err


def test_stray_files_are_named_before_a_focused_run(here: Repo) -> None:
    """Untracked and partly staged: what passes covers only a commit of exactly this."""
    here.write({"scratch.txt": "x", "half.py": "1"})
    here.git("add", "half.py")
    here.write({"half.py": "2"})
    ran = focused()
    assert "'scratch.txt' (untracked)" in ran.err
    assert "'half.py' (partly staged)" in ran.err
    assert ".git/info/exclude" in ran.err
    Path(".git/info/exclude").write_text("scratch.txt\n")
    here.git("add", "half.py")
    assert "under test with everything else" not in focused().err


def _until(condition: Any, limit_s: float = 30) -> None:
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
