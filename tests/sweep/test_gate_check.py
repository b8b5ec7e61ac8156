"""What is said when a regression has not been earned, as sentences and as facts."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from kit.fingerprints import a_fingerprinter
from kit.gate_histories import History
from kit.repo import Repo, new_repo

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario
from wt_git.records.fingerprint import SNAPSHOT_FAILED, FingerprintParts, write_manifest
from wt_git.sweep.gate_check import GateRefusedError, check_gate, gate_notes
from wt_git.sweep.request import SweepRequest
from wt_git.sweep.selection import Selected, Selectors

if TYPE_CHECKING:
    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.ladder.gate import Earned
    from wt_git.records.ledger.row import Row


@dataclass
class InMemoryLedger:
    """A ledger that is a list."""

    history: History = field(default_factory=History)

    def has_target(self, target: str) -> bool:
        return any(row.target == target for row in self.history.rows())

    def gate_rows(self, target: str, fingerprint: str) -> list[Row]:
        return self.history.rows()


def item(name: str, pack: str = "shop") -> Selected:
    return Selected(ScenarioPack(pack), Scenario(name=name, prompt="?", target_facts=[["x"]]))


SELECTED = [item("refund"), item("cancel"), item("triage", "desk")]


@dataclass
class Bench:
    """A repository, its ledger, and questions to the gate about what is there."""

    repo: Repo
    ledger: InMemoryLedger = field(default_factory=InMemoryLedger)

    @property
    def history(self) -> History:
        return self.ledger.history

    def now(self) -> Fingerprint:
        taken = a_fingerprinter().take()
        manifest, tree = taken.manifest(), taken.parts.git_tree
        if manifest is not None and tree is not None:
            write_manifest(Path("runs"), tree, manifest)
        return taken

    def on(self, **changed: Any) -> FingerprintParts:
        return msgspec.structs.replace(self.now().parts, **changed)

    def ask(
        self,
        selected: list[Selected] = SELECTED,
        *,
        now: Fingerprint | None = None,
        **asked: Any,
    ) -> Earned:
        known: dict[str, Any] = {"selectors": Selectors(), "runs_dir": Path("runs")}
        request = SweepRequest(**{**known, "runtime": "mine", **asked})
        return check_gate(request, selected, now or self.now(), self.ledger)

    def refused(self, *args: Any, **asked: Any) -> GateRefusedError:
        with pytest.raises(GateRefusedError) as caught:
            self.ask(*args, **asked)
        assert json.loads(json.dumps(caught.value.facts)) == caught.value.facts
        return caught.value


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench in whose only regression `refund` and `triage` failed."""
    repo = new_repo(tmp_path / "r", {"agent.py": "1", ".gitignore": "runs/\n"})
    monkeypatch.chdir(repo.path)
    made = Bench(repo)
    made.history.regression(passed="cancel", failed="refund desk/triage", on=made.on())
    return made


def words(error: GateRefusedError) -> str:
    return "\n".join([error.message, *error.hints])


def test_a_refusal_names_the_scenarios_and_a_command_for_each(bench: Bench):
    """One line and one command per scenario, and what else there is to know."""
    error = bench.refused()
    first, *named = error.message.splitlines()
    assert first == (
        "refusing a regression sweep: what failed when a regression last ran it must pass alone "
        "before the next one; 2 of 3 selected scenarios have no passing focused run since, on this "
        f"artifact ({bench.now().value[:19]}…):"
    )
    assert named == ["  shop/refund", "  desk/triage"]
    assert error.commands == (
        'wt run --scenario refund --runtime mine --pack shop --runs 3 --question "…" --expect pass',
        'wt run --scenario triage --runtime mine --pack desk --runs 3 --question "…" --expect pass',
    )
    assert all(f"  {command}" in error.hints for command in error.commands)
    for said in ("gitignore it", "any change after a pass", "out of the selection is recorded"):
        assert said in words(error)
    assert error.exit_code == 2
    assert error.retryable is False
    assert error.specific_code == "regression-missing-evidence"


def test_a_stale_pass_is_explained_by_parts_and_files(bench: Bench):
    """On a smaller model, another spelling of the runtime, and before an edit."""
    bench.history.focused("refund", on=bench.on(model="small", runtime="respelt"))
    bench.history.focused("desk/triage", on=bench.on())
    bench.repo.write({"agent.py": "2", "log.txt": "x"})
    error = bench.refused()
    files = "files: agent.py, log.txt"
    assert error.message.splitlines()[1:] == [
        f"  shop/refund (its focused pass is stale; since then changed: runtime, model; {files})",
        f"  desk/triage (its focused pass is stale; since then {files})",
    ]
    facts: Any = error.facts
    assert facts["missing"][0]["stale"]["changed_parts"] == ["runtime", "model"]
    assert facts["missing"][1]["stale"]["files"] == ["agent.py", "log.txt"]
    assert facts["missing"][1]["failed_in"] == bench.history.records[0]["sweep_id"]
    assert facts["missing"][1]["pack"] == "desk"
    assert facts["unearned"] is True


def test_a_pass_on_a_moving_artifact_is_explained_as_that(bench: Bench):
    """Whether or not anything differs from it now."""
    bench.history.focused("refund", on=bench.on(), x_fingerprint="changed-during-sweep")
    said = bench.refused().message
    assert "shop/refund (its focused pass is no evidence: the artifact was changing while" in said


def test_an_unearned_run_points_at_results_and_at_what_passed_before(bench: Bench):
    """The scenario whose pass went stale is the best guess what the change is about."""
    bench.history.regression(passed="refund desk/triage", on=bench.on())
    bench.history.focused("cancel", on=bench.on())
    bench.repo.write({"agent.py": "2"})
    error = bench.refused(label="try")
    last = bench.history.records[-2]["sweep_id"]
    first, second = error.message.splitlines()
    assert first == (
        "refusing a regression sweep: nothing has earned it. It takes a focused run that passed "
        f"after the last regression, sweep {last}, on this artifact ({bench.now().value[:19]}…)"
    )
    assert second == "  the last one, of shop/cancel, is stale; since then files: agent.py"
    assert error.specific_code == "regression-not-earned"
    alone, results = error.commands
    assert alone.startswith("wt run --scenario cancel --runtime mine --pack shop --label try ")
    assert results == "wt results --runs runs"
    assert "  wt results --runs runs" in error.hints
    assert "gitignore it" in words(error)
    facts: Any = error.facts
    assert facts["last_regression"] == last
    assert facts["stale_earner"]["scenario"] == "cancel"
    assert facts["missing"] == []


def test_an_unearned_run_without_any_pass_proposes_what_was_selected(bench: Bench):
    """A few of them, ready to paste; the rest are counted."""
    bench.history.regression(passed="refund desk/triage", on=bench.on())
    many = [item(f"s{number}") for number in range(8)]
    error = bench.refused(many, runs_dir=Path("my runs"))
    assert [shlex.split(one)[3] for one in error.commands[:-1]] == ["s0", "s1", "s2", "s3", "s4"]
    assert error.commands[-1] == "wt results --runs 'my runs'"
    assert "of 3 more" in words(error)
    assert "the last one" not in error.message
    assert error.facts["stale_earner"] is None


def test_a_stale_earner_that_was_changing_is_explained_as_that(bench: Bench):
    """The unearned part knows it as well as the other."""
    bench.history.regression(passed="refund desk/triage", on=bench.on())
    bench.history.focused("cancel", on=bench.on(), x_fingerprint="changed-during-sweep")
    assert "of shop/cancel, is no evidence: the artifact was changing" in bench.refused().message


def test_a_failing_snapshot_is_named_as_the_cause(bench: Bench):
    """No pass counts until it is mended, so running the scenario alone would not help."""
    now = msgspec.structs.replace(
        bench.now(), value=SNAPSHOT_FAILED, failure="git took longer than 60 s"
    )
    error = bench.refused(now=now)
    assert "could not snapshot the working tree (git took longer than 60 s)" in error.message
    assert "on this artifact (snapshot-failed)" in error.message
    assert error.facts["cause"] == "snapshot-failed"


def test_names_from_packs_and_ledgers_cannot_move_the_cursor(bench: Bench):
    """Each is one line, inert."""
    odd = item("re\x1b[2Jfund\n", "sh\u202eop")
    bench.history.regression(
        failed="x", pack="sh\u202eop", scenario_id="re\x1b[2Jfund\n", on=bench.on()
    )
    error = bench.refused([odd, *SELECTED])
    assert "\x1b" not in words(error)
    assert "\u202e" not in words(error)
    assert len(error.message.splitlines()) == 4


def test_a_name_that_no_record_can_hold_is_gated_as_it_was_recorded(bench: Bench):
    """Half a surrogate pair is replaced when a row is written; the failure is this scenario's."""
    odd = item("re\ud800fund")
    assert odd.identity.name == "re\ufffdfund"
    bench.history.regression(failed="re\ufffdfund", on=bench.on())
    assert "re\ufffdfund" in bench.refused([odd, SELECTED[1]]).message


def test_evidence_lets_it_through_and_is_recorded(bench: Bench):
    """The same answer that the rows will hold."""
    bench.history.focused("refund", on=bench.on())
    earner = bench.history.focused("desk/triage", on=bench.on())
    earned = bench.ask()
    assert earned.earned_by == earner
    assert earned.evidence_for == (bench.history.records[0]["sweep_id"],)


def test_asked_again_under_the_lock_what_was_used_up_is_refused(bench: Bench):
    """Two regressions queue behind one another; one pass admits one of them."""
    bench.history.focused("refund", on=bench.on())
    bench.history.focused("desk/triage", on=bench.on())
    bench.ask()
    bench.history.regression(passed="refund cancel desk/triage", on=bench.on())
    assert bench.refused().specific_code == "regression-not-earned"


def test_history_that_decides_nothing_else_is_history(bench: Bench):
    """A ledger that has only a failing focused run answers with no row at all."""

    class OnlyHistory(InMemoryLedger):
        def has_target(self, target: str) -> bool:
            return True

    bench.ledger = OnlyHistory()
    assert bench.refused().facts["last_regression"] is None


def test_a_regression_earned_by_transport_only_failures_alone_says_so(bench: Bench):
    """They pass by the exit code's rule, and say nothing good about the agent."""
    bench.history.focused("refund", on=bench.on(), verdict="FAIL")
    bench.history.focused("desk/triage", on=bench.on(), verdict="FAIL")
    [note] = gate_notes(bench.ask())
    assert "refund" in note
    assert "triage" in note
    bench.history.focused("cancel", on=bench.on())
    assert gate_notes(bench.ask()) == []


def test_the_first_regression_of_a_target_has_no_such_note(bench: Bench):
    """Nothing earned it, and nothing had to."""
    bench.ledger = InMemoryLedger()
    assert gate_notes(bench.ask()) == []
