"""One sweep: what happens around its jobs, also when a part of it fails."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kit.agents import RecordingHandle, RecordingHook, RecordingRuntime, says
from kit.commands import events, experiments, ledger, traces
from kit.fingerprints import a_fingerprinter

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario
from wt_git.clock import SystemClock
from wt_git.config import Settings
from wt_git.errors import UsageError
from wt_git.plugins.runtimes import Runtime
from wt_git.records.ledger.ledger import Ledger
from wt_git.spi.agent_runtime import AgentConfig
from wt_git.sweep.jobs.schedulers import plan_jobs
from wt_git.sweep.request import Prepared, SweepRequest
from wt_git.sweep.selection import Selected, Selectors
from wt_git.sweep.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.records.events import Event
    from wt_git.sweep.sweep_result import ScenarioOutcome, SweepOutcome


class Listening:
    """An observer that keeps what it is told, and may act on an event."""

    def __init__(self, on_event: Callable[[Event], None] | None = None) -> None:
        self.said: list[str] = []
        self.done: list[ScenarioOutcome] = []
        self._on_event = on_event

    def say(self, text: str) -> None:
        self.said.append(text)

    def event(self, event: Event) -> None:
        if self._on_event:
            self._on_event(event)

    def scenario_done(self, result: ScenarioOutcome) -> None:
        self.done.append(result)


class Plugin:
    """A runtime plugin that notes every call, and fails where it is told to."""

    def __init__(self, log: list[str], failing: tuple[str, ...] = (), **agent: Any) -> None:
        self.log = log
        self._failing = failing
        self.runtime = RecordingRuntime(**agent)

    def build(self, runtime_name: str, label: str, soul_path: str | None) -> Any:
        self._note(f"build {runtime_name} {label} {soul_path}", "build")
        return self.runtime

    def pre_run(self, runtime: Any, scenarios: list[Scenario], runtime_name: str) -> None:
        self._note(f"pre_run {[s.name for s in scenarios]} {runtime_name}", "pre_run")

    def post_run(self, runtime: Any, scenarios: list[Scenario], runtime_name: str) -> None:
        self._note("post_run", "post_run")

    def _note(self, line: str, name: str) -> None:
        self.log.append(line)
        if name in self._failing:
            raise ValueError(f"{name} is broken")


def prepared(plugin: Any, *names: str, limit: int | None = None, **more: Any) -> Prepared:
    scenarios = [Scenario(name, "?", [["ok"]]) for name in names or ("a", "b")]
    pack = more.pop("pack", None) or ScenarioPack("p", scenarios)
    hooks = more.pop("hooks", [])
    request = SweepRequest(selectors=Selectors(), runs_dir=Path("runs"), runtime="mine", **more)
    fingerprinter = a_fingerprinter()
    return Prepared(
        request=request,
        hooks=hooks,
        fingerprinter=fingerprinter,
        fingerprint=fingerprinter.take(),
        settings=Settings(),
        budget_s=None,
        ceiling=None,
        runtime=Runtime(
            name="mine", plugin=plugin, file=None, limit=limit, lock_key="mine", model="m-1"
        ),
        selected=[Selected(pack, scenario) for scenario in pack.scenarios],
        tier="regression",
        config=AgentConfig(agent_id="wt-cli", variant_id=request.label),
        plan=plan_jobs("sequential", None, limit=limit, hooks_active=bool(hooks)),
    )


def fly(
    asked: Prepared, observer: Listening | None = None, **more: Any
) -> tuple[Sweep, SweepOutcome]:
    sweep = Sweep(
        asked,
        ledger=Ledger(asked.request.runs_dir),
        observer=observer or Listening(),
        clock=SystemClock(),
        lock_folder=Path("locks"),
        **more,
    )
    return sweep, sweep.run()


def ok() -> RecordingHandle:
    return RecordingHandle(replies=[says("ok")] * 100)


def test_the_plugin_is_built_and_bracketed_once_whatever_runs() -> None:
    """build, pre_run with the selected scenarios, all jobs, post_run."""
    log: list[str] = []
    _, outcome = fly(prepared(Plugin(log)))
    assert log == ["build mine cli_run None", "pre_run ['a', 'b'] mine", "post_run"]
    assert len(ledger()) == 2
    assert outcome.status == "completed"


def test_a_pre_run_that_fails_is_cleaned_up_after_and_reported() -> None:
    """A half-started fixture must not leak; nothing is run on it."""
    log: list[str] = []
    _, outcome = fly(prepared(Plugin(log, failing=("pre_run",))))
    assert log[-1] == "post_run"
    assert outcome.exit_code == 1
    assert "pre_run of runtime 'mine' failed: ValueError: pre_run is broken" in str(outcome.failure)
    assert not ledger()
    assert events()[-1]["status"] == "error"


def test_a_post_run_that_fails_keeps_the_results_and_is_no_success() -> None:
    """All evidence was written before; the lock is released."""
    _, outcome = fly(prepared(Plugin([], failing=("post_run",)), limit=1))
    assert outcome.exit_code == 1
    assert "post_run of runtime 'mine' failed" in outcome.problems[0]
    assert len(outcome.rows()) == 2
    assert len(ledger()) == 2
    again = fly(prepared(Plugin([]), limit=1))[1]
    assert again.status == "completed"


def test_a_build_that_fails_closes_the_event_stream_and_frees_the_lock() -> None:
    """Exit 2: the caller asked for something that does not start."""
    _, outcome = fly(prepared(Plugin([], failing=("build",)), limit=1))
    assert outcome.exit_code == 2
    assert [event["event"] for event in events()] == ["sweep_started", "sweep_finished"]
    assert fly(prepared(Plugin([]), limit=1))[1].status == "completed"


def test_factories_are_read_after_pre_run_and_for_each_scenario() -> None:
    """A plugin may install them on a pack once its fixture is up."""
    pack = ScenarioPack("p", [Scenario("a", "?", [["ok"]]), Scenario("b", "?", [["ok"]])])
    asked: list[str] = []

    class Installing(Plugin):
        def pre_run(self, runtime: Any, scenarios: list[Scenario], runtime_name: str) -> None:
            def probe_factory(scenario: Scenario) -> None:
                asked.append(scenario.name)

            pack.state_probe_factory = probe_factory

    fly(prepared(Installing([]), pack=pack))
    assert asked == ["a", "b"]


@pytest.mark.parametrize("mounts", [True, False])
def test_mocks_are_made_only_for_runtimes_that_mount_them(*, mounts: bool) -> None:
    """An unused mock's empty log would override what the agent really did."""
    asked: list[str] = []

    def factory(scenario: Scenario) -> Any:
        asked.append(scenario.name)
        raise RuntimeError("cannot start")

    pack = ScenarioPack("p", [Scenario("a", "?", [["ok"]])], mcp_factory=factory)
    plugin = Plugin([])
    plugin.runtime.accepts_runner_managed_mcps = mounts  # type: ignore[attr-defined]
    observer = Listening()
    fly(prepared(plugin, pack=pack), observer)
    assert asked == (["a"] if mounts else [])
    assert len(ledger()) == (0 if mounts else 1)


def test_three_scenario_errors_in_a_row_stop_the_sweep_and_a_good_one_resets() -> None:
    """The count is of consecutive errors, in order of completion."""
    answers = iter([1, 1, 0, 1, 1, 1, 0])

    class Flaky(Plugin):
        def build(self, *args: Any) -> Any:
            inner = super().build(*args)
            provision = inner.provision

            def sometimes(config: AgentConfig, mcps: Any = None) -> Any:
                if next(answers):
                    raise RuntimeError("no backend")
                return provision(config, mcps)

            inner.provision = sometimes
            return inner

    observer = Listening()
    _, outcome = fly(prepared(Flaky([]), *"abcdefg"), observer)
    assert outcome.status == "aborted"
    assert outcome.exit_code == 1
    assert [item.scenario.name for item in outcome.not_started] == ["g"]
    assert [row["scenario_id"] for row in ledger()] == ["c"]
    assert sum("aborting after 3" in line for line in observer.said) == 1
    assert experiments()[0]["errors"] == 5
    assert experiments()[0]["cost"]["input_tokens"] is None


def test_a_world_mismatch_fails_the_sweep_without_contacting_the_agent() -> None:
    """No row, its own kind of event, and it does not count as an error of the bench."""
    pack = ScenarioPack(
        "p", [Scenario("a", "?", [["ok"]], requires_files=["/absent/1", "/absent/2"])]
    )
    plugin = Plugin([])
    observer = Listening()
    _, outcome = fly(prepared(plugin, pack=pack), observer)
    assert outcome.exit_code == 1
    assert not ledger()
    (error,) = [event for event in events() if event["event"] == "scenario_error"]
    assert error["kind"] == "world_mismatch"
    assert "/absent/1" in error["error"]
    assert "/absent/2" in error["error"]
    assert experiments()[0]["errors"] == 0
    assert "send" not in " ".join(plugin.runtime.log)


def test_hooks_see_the_end_of_the_pack_and_leave_their_artifacts() -> None:
    """The aggregates of the scenarios that ran, in selection order, before post_run."""
    seen: list[Any] = []

    def at_end(context: Any) -> None:
        seen.append([aggregate.verdict for aggregate in context.aggregate])
        context.emit_artifact({"n": len(context.aggregate)})

    hook = RecordingHook(on_pack_end=at_end)
    fly(prepared(Plugin([]), hooks=[hook]))
    assert len(seen[0]) == 2
    (artifact,) = Path("runs").glob(f"*.{hook.name}.pack.json")
    assert json.loads(artifact.read_text()) == {"n": 2}


def test_a_hook_that_fails_at_the_end_of_the_pack_is_a_warning() -> None:
    """Hooks never change a verdict."""

    def at_end(_context: Any) -> None:
        raise ValueError("hook bug")

    observer = Listening()
    hook = RecordingHook(on_pack_end=at_end)
    _, outcome = fly(prepared(Plugin([]), hooks=[hook]), observer)
    assert any("hook bug" in line for line in observer.said)
    assert not outcome.problems


def test_a_run_that_cannot_be_stored_ends_the_sweep_but_not_its_clean_up() -> None:
    """post_run is called, the event stream ends, finished runs are kept."""
    log: list[str] = []

    def block(event: Any) -> None:
        if event.event == "scenario_finished":
            Path("runs/b").write_text("in the way")

    _, outcome = fly(prepared(Plugin(log), "a", "b", "c"), Listening(block))
    assert outcome.exit_code is None
    assert "could not write run" in str(outcome.failure)
    assert log[-1] == "post_run"
    assert (events()[-1]["status"], events()[-1]["exit_code"]) == ("error", None)
    assert [row["scenario_id"] for row in ledger()] == ["a"]
    assert not experiments()


def test_an_interrupt_between_provisioning_and_the_first_run_starts_none() -> None:
    """Nothing new is started, so that scenario never started."""
    holder: list[Sweep] = []

    class Interrupting(Plugin):
        def build(self, *args: Any) -> Any:
            inner = super().build(*args)
            provision = inner.provision

            def last_moment(config: AgentConfig, mcps: Any = None) -> Any:
                holder[0].interrupt(143)
                return provision(config, mcps)

            inner.provision = last_moment
            return inner

    sweep = Sweep(
        prepared(Interrupting([])),
        ledger=Ledger(Path("runs")),
        observer=Listening(),
        clock=SystemClock(),
        lock_folder=Path("locks"),
    )
    holder.append(sweep)
    outcome = sweep.run()
    assert (outcome.status, outcome.exit_code) == ("interrupted", 143)
    assert not traces()
    assert [item.scenario.name for item in outcome.not_started] == ["a", "b"]


def test_a_runtime_without_limit_is_never_locked() -> None:
    """Two sweeps on it may overlap."""
    fly(prepared(Plugin([]), limit=None))
    assert not Path("locks").exists()
    fly(prepared(Plugin([]), limit=1))
    assert list(Path("locks").glob("mine-*.lock"))


def test_two_sweeps_on_one_runtime_take_turns_and_say_so() -> None:
    """The second waits, naming the first, and then runs."""
    entered, go_on = threading.Event(), threading.Event()

    class Slow(Plugin):
        def pre_run(self, *args: Any) -> None:
            entered.set()
            assert go_on.wait(20)

    first = threading.Thread(target=fly, args=(prepared(Slow([]), limit=1, label="first"),))
    first.start()
    assert entered.wait(20)

    def let_go(event: Any) -> None:
        if event.event == "lock_waiting":
            go_on.set()

    observer = Listening(let_go)
    _, outcome = fly(prepared(Plugin([]), limit=1, label="second"), observer)
    first.join()
    assert outcome.status == "completed"
    mine = [event for event in events() if event["label"] == "second"]
    assert [event["event"] for event in mine][:3] == [
        "sweep_started",
        "lock_waiting",
        "lock_acquired",
    ]
    assert mine[1]["holder"]["label"] == "first"
    assert "is in use, held by pid" in observer.said[0]
    assert "acquired after" in " ".join(observer.said)


def test_a_busy_runtime_without_waiting_is_75_and_leaves_no_record() -> None:
    """For callers that would rather retry than queue."""
    entered, go_on = threading.Event(), threading.Event()

    class Slow(Plugin):
        def pre_run(self, *args: Any) -> None:
            entered.set()
            assert go_on.wait(20)

    first = threading.Thread(target=fly, args=(prepared(Slow([]), limit=1, label="first"),))
    first.start()
    assert entered.wait(20)
    _, outcome = fly(prepared(Plugin([]), limit=1, label="second", wait=False))
    go_on.set()
    first.join()
    assert (outcome.exit_code, outcome.status) == (75, "busy")
    mine = [event for event in events() if event["label"] == "second"]
    assert [(event["event"], event.get("exit_code")) for event in mine] == [
        ("sweep_started", None),
        ("sweep_finished", 75),
    ]
    assert {record["label"] for record in experiments()} == {"first"}


def test_a_runs_directory_that_cannot_be_used_is_refused_before_anything() -> None:
    """Nothing was built."""
    Path("runs").write_text("")
    log: list[str] = []
    with pytest.raises(UsageError):
        fly(prepared(Plugin(log)))
    assert not log


@pytest.mark.parametrize("point", ["pre_run", "post_run"])
def test_a_plugin_whose_attribute_raises_is_named(point: str) -> None:
    """A property is the plugin's own code too; the sweep ends in order and says whose it is."""

    class Broken:
        def build(self, *_arguments: object) -> RecordingRuntime:
            return RecordingRuntime()

    def raising(_self: object) -> None:
        raise ValueError("no such fixture")

    setattr(Broken, point, property(raising))
    _, outcome = fly(prepared(Broken()))
    assert outcome.exit_code == 1
    said = [str(outcome.failure), *outcome.problems]
    assert any(f"{point} of runtime 'mine' failed: ValueError: no such fixture" in s for s in said)
    assert events()[-1]["event"] == "sweep_finished"


def test_a_driver_that_exits_is_one_broken_scenario() -> None:
    """The others still run, and the sweep is no success."""
    runtime = Plugin([], fails={"provision": SystemExit(0)})
    _, outcome = fly(prepared(runtime))
    assert outcome.exit_code == 1
    assert outcome.status == "completed"
    assert [type(result).__name__ for result in outcome.results] == ["ScenarioBroke"] * 2


def test_a_signal_during_post_run_finds_the_sweep_complete() -> None:
    """Rows, record, event and exit code say the same: nothing was cut short."""
    sweeps: list[Sweep] = []

    class Late(Plugin):
        def post_run(self, *arguments: Any) -> None:
            sweeps[0].interrupt(130)

    sweep = Sweep(
        prepared(Late([])),
        ledger=Ledger(Path("runs")),
        observer=Listening(),
        clock=SystemClock(),
        lock_folder=Path("locks"),
    )
    sweeps.append(sweep)
    outcome = sweep.run()
    assert (outcome.status, outcome.exit_code) == (
        experiments()[0]["status"],
        experiments()[0]["exit_code"],
    )
    assert outcome.status == events()[-1]["status"] == "completed"
    assert not any(row["experiment"]["interrupted"] for row in ledger())
