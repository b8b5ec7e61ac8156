"""A batch: the order of its steps, and that what went up comes down."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.agents import (
    DefiningToolServer,
    RecordingHandle,
    RecordingHook,
    RecordingProbe,
    RecordingRuntime,
    RecordingToolServer,
    SurfaceHandle,
    says,
)

from wt_git.api.preconditions import (
    Check,
    FileExists,
    StateProbeAvailable,
    ToolAvailable,
    WorldMismatchError,
)
from wt_git.api.scenario import Scenario
from wt_git.runner.batch import ScenarioResult, run_scenario
from wt_git.spi import AgentConfig


def test_every_step_happens_in_the_promised_order():
    """Servers, agent, probe binding, world, hooks; per run resets, surface, sends, evidence, hooks;
    then the batch's end, teardown and stop."""
    log = []
    handle = SurfaceHandle(log=log, attributes={"workspace_dir": "/work"})
    handle.surface = {"status": "unavailable"}
    probe = RecordingProbe(log=log)
    probe.bind_workspace = lambda path: log.append(f"bind {path}")
    run_scenario(
        Scenario(
            "two turns",
            user_turns=["one", "two"],
            requires_tools=["look_up"],
            preconditions=[Check(lambda ctx: log.append("check"), "looked")],
        ),
        RecordingRuntime(handle),
        [DefiningToolServer("a", log=log), DefiningToolServer("b", log=log)],
        runs_per_scenario=2,
        state_probe=probe,
        hooks=[RecordingHook(log)],
        on_run_start=lambda index: log.append(f"start run {index}"),
        on_run_complete=lambda index, run: log.append(f"complete run {index}"),
        should_start_run=lambda index: log.append(f"may run {index} start?") or True,
    )

    def run(index):
        return [
            f"start run {index}",
            "reset_state",
            "reset_call_log a",
            "reset_call_log b",
            "probe reset",
            "describe_surface",
            "on_run_start",
            "send",
            "send",
            "call_log a",
            "call_log b",
            "probe capture",
            "served_tool_definitions a",
            "served_tool_definitions b",
            "on_run_scored",
            "on_run_end",
            f"complete run {index}",
        ]

    assert log == [
        "start a",
        "start b",
        "provision",
        "bind /work",
        "served_tools a",
        "check",
        "on_provisioned",
        *run(0),
        "may run 1 start?",
        *run(1),
        "on_scenario_end",
        "teardown",
        "stop a",
        "stop b",
    ]


def test_three_runs_share_one_agent_and_nothing_else():
    """One provisioning, three resets, three run ids, three sessions."""
    runtime = RecordingRuntime()
    result = run_scenario(Scenario("thrice", "hi"), runtime, runs_per_scenario=3)
    assert runtime.log == ["provision", *["reset_state", "send"] * 3, "teardown"]
    assert len({run.trace.run_id for run in result.runs}) == 3
    assert len(set(runtime.handle.sessions)) == 3
    assert isinstance(result, ScenarioResult)
    assert result.aggregate.total == 3
    assert (result.worker_warnings, result.hook_artifacts) == ([], [])


def test_the_agent_gets_the_started_handles_and_the_configuration():
    """Servers stay the runner's; a driver gets a list, empty without servers."""
    config = AgentConfig("me", "strict")
    server = RecordingToolServer()
    runtime = RecordingRuntime()
    run_scenario(Scenario("a", "hi"), runtime, [server], config=config)
    run_scenario(Scenario("a", "hi"), runtime)
    assert runtime.mounted == [[server], []]
    assert runtime.configs == [config, AgentConfig()]


@pytest.mark.parametrize("count", [0, -1])
def test_fewer_than_one_run_is_refused_before_anything_starts(count):
    """No server is started for nothing."""
    runtime = RecordingRuntime()
    server = RecordingToolServer()
    with pytest.raises(ValueError, match="at least 1"):
        run_scenario(Scenario("a", "hi"), runtime, [server], runs_per_scenario=count)
    assert runtime.log == server.log == []


def test_a_gate_that_makes_no_sense_is_refused_before_anything_starts():
    """A field may be reassigned after construction; a whole batch must not be lost to it."""
    scenario = Scenario("a", "hi")
    scenario.gate_layers = ["integrity"]
    runtime, server = RecordingRuntime(), RecordingToolServer()
    with pytest.raises(ValueError, match="unknown gate layers"):
        run_scenario(scenario, runtime, [server])
    assert runtime.log == server.log == []


def test_without_resets_only_the_logs_are_cleared():
    """`skip_reset` spares the agent, not the evidence."""
    log = []
    run_scenario(
        Scenario("a", "hi"),
        RecordingRuntime(RecordingHandle(log=log)),
        [RecordingToolServer(log=log)],
        skip_reset=True,
    )
    assert "reset_state" not in log
    assert log.index("reset_call_log tools") < log.index("send")


def test_a_batch_can_be_ended_before_any_run_but_the_first():
    """What finished is aggregated; the first run is not up for discussion."""
    asked = []
    result = run_scenario(
        Scenario("a", "hi"),
        RecordingRuntime(),
        runs_per_scenario=5,
        should_start_run=lambda index: asked.append(index) or index < 2,
    )
    assert asked == [1, 2]
    assert result.aggregate.total == len(result.runs) == 2


def test_each_finished_run_is_handed_over_as_the_object_the_result_holds():
    """Broken runs too: the caller stores what it is given."""
    handed = []
    handle = RecordingHandle([ValueError("no model")])
    result = run_scenario(
        Scenario("a", "hi"),
        RecordingRuntime(handle),
        runs_per_scenario=2,
        on_run_complete=lambda index, run: handed.append((index, run)),
    )
    assert [index for index, _ in handed] == [0, 1]
    assert all(run is kept for (_, run), kept in zip(handed, result.runs, strict=True))
    assert result.aggregate.verdict == "INVALID"


@pytest.mark.parametrize("callback", ["on_run_start", "on_run_complete", "should_start_run"])
def test_what_a_callback_raises_leaves_after_teardown(callback):
    """Callbacks are the caller's control flow, a keyboard interrupt included."""

    def leave(*_):
        raise KeyboardInterrupt

    runtime = RecordingRuntime()
    server = RecordingToolServer(log=runtime.log)
    with pytest.raises(KeyboardInterrupt):
        run_scenario(
            Scenario("a", "hi"), runtime, [server], runs_per_scenario=2, **{callback: leave}
        )
    assert runtime.log[-2:] == ["teardown", "stop tools"]


def test_a_reset_that_fails_ends_the_batch():
    """A wipe that did not happen would let one run influence the next."""
    runtime = RecordingRuntime(RecordingHandle(fails={"reset_state": OSError("disk")}))
    with pytest.raises(OSError, match="disk"):
        run_scenario(Scenario("a", "hi"), runtime, runs_per_scenario=3)
    assert runtime.log == ["provision", "reset_state", "teardown"]


def test_every_server_whose_start_was_tried_is_stopped():
    """One that failed to start may have left a process behind; one never tried is left alone."""
    log = []
    servers = [
        RecordingToolServer("a", log=log),
        RecordingToolServer("b", log=log, fails={"start": RuntimeError("port taken")}),
        RecordingToolServer("c", log=log),
    ]
    runtime = RecordingRuntime()
    with pytest.raises(RuntimeError, match="port taken"):
        run_scenario(Scenario("a", "hi"), runtime, servers)
    assert log == ["start a", "start b", "stop a", "stop b"]
    assert runtime.log == []


def test_servers_are_stopped_when_the_agent_cannot_be_provisioned():
    """There is no handle to tear down."""
    server = RecordingToolServer()
    runtime = RecordingRuntime(fails={"provision": RuntimeError("no container")})
    with pytest.raises(RuntimeError, match="no container"):
        run_scenario(Scenario("a", "hi"), runtime, [server])
    assert server.log == ["start tools", "stop tools"]
    assert runtime.log == ["provision"]


def test_failures_on_the_way_down_change_nothing_and_are_said_once_each():
    """Results stand; the caller hears in one line each what did not end well."""
    said = []
    log = []
    servers = [
        RecordingToolServer("a", log=log, fails={"stop": OSError("stuck")}),
        RecordingToolServer("b", log=log),
    ]
    runtime = RecordingRuntime(RecordingHandle(fails={"teardown": ValueError("gone")}))
    result = run_scenario(Scenario("a", "hi"), runtime, servers, on_warning=said.append)
    assert result.aggregate.verdict == "PASS"
    assert log[-2:] == ["stop a", "stop b"]
    assert len(said) == 2
    assert "tearing the agent down" in said[0]
    assert "ValueError: gone" in said[0]
    assert "stopping RecordingToolServer" in said[1]
    assert "OSError: stuck" in said[1]


def test_failures_on_the_way_down_are_silent_when_nobody_listens():
    """The library does not print."""
    runtime = RecordingRuntime(RecordingHandle(fails={"teardown": ValueError("gone")}))
    assert run_scenario(Scenario("a", "hi"), runtime).aggregate.verdict == "PASS"


def test_an_interrupted_stop_still_stops_the_other_servers():
    """A second server is not left running by what ended the first."""
    log = []
    servers = [
        RecordingToolServer("a", log=log, fails={"stop": KeyboardInterrupt()}),
        RecordingToolServer("b", log=log),
    ]
    with pytest.raises(KeyboardInterrupt):
        run_scenario(Scenario("a", "hi"), RecordingRuntime(), servers)
    assert log[-2:] == ["stop a", "stop b"]


def test_a_world_that_does_not_fit_is_reported_whole_before_a_turn_is_spent():
    """All preconditions are evaluated, tools first, then files, then the scenario's own."""
    runtime = RecordingRuntime()
    hook = RecordingHook()

    def raises(_ctx):
        raise LookupError("no fixture")

    class Breaks(StateProbeAvailable):
        def check(self, ctx):
            raises(ctx)

    scenario = Scenario(
        "picky",
        "hi",
        requires_tools=["look_up"],
        requires_files=["/no/such/file"],
        preconditions=[StateProbeAvailable(), Breaks(), Check(lambda ctx: True, "fine")],
    )
    with pytest.raises(WorldMismatchError) as mismatch:
        run_scenario(scenario, runtime, [RecordingToolServer()], hooks=[hook])
    assert mismatch.value.scenario_name == "picky"
    tool, file, probe, broken = mismatch.value.failures
    assert tool.startswith(f"{ToolAvailable('look_up')!r}: ")
    assert file.startswith(f"{FileExists('/no/such/file')!r}: ")
    assert "no state probe was wired" in probe
    assert "LookupError: no fixture" in broken
    assert runtime.log == ["provision", "teardown"]
    assert hook.log == []


def test_preconditions_see_the_provisioned_world(tmp_path):
    """Handles, probe, configuration, agent and both folders are at hand."""
    seen = []
    (tmp_path / "notes.txt").touch()
    handle = RecordingHandle(
        attributes={"workspace_dir": str(tmp_path), "workspace_template": tmp_path / "template"}
    )
    probe = RecordingProbe()
    server = RecordingToolServer()
    config = AgentConfig("me")
    run_scenario(
        Scenario(
            "a",
            "hi",
            requires_files=["notes.txt"],
            preconditions=[Check(seen.append, "look around")],
        ),
        RecordingRuntime(handle),
        [server],
        config=config,
        state_probe=probe,
    )
    (ctx,) = seen
    assert list(ctx.mcp_handles) == [server]
    assert ctx.state_probe is probe
    assert ctx.agent_config is config
    assert ctx.runtime_handle.sent is handle.sent
    assert ctx.workspace_dir == tmp_path
    assert ctx.workspace_template == tmp_path / "template"


@pytest.mark.parametrize("method", ["bind_workspace", "set_workspace_dir"])
def test_a_probe_that_wants_to_know_is_told_the_workspace_once(method):
    """Either spelling, once per batch, and only when the agent has a workspace."""
    bound = []
    probe = RecordingProbe()
    setattr(probe, method, bound.append)
    with_workspace = RecordingHandle(attributes={"workspace_dir": "/work"})
    for handle in (with_workspace, RecordingHandle()):
        run_scenario(
            Scenario("a", "hi"), RecordingRuntime(handle), runs_per_scenario=2, state_probe=probe
        )
    assert bound == [Path("/work")]


def test_a_probe_that_refuses_the_workspace_ends_the_batch():
    """A probe that looks elsewhere would observe the wrong world."""
    probe = RecordingProbe()

    def refuse(_path):
        raise ValueError("not mounted")

    probe.bind_workspace = refuse
    runtime = RecordingRuntime(RecordingHandle(attributes={"workspace_dir": "/work"}))
    with pytest.raises(ValueError, match="not mounted"):
        run_scenario(Scenario("a", "hi"), runtime, state_probe=probe)
    assert runtime.log == ["provision", "teardown"]


def test_the_verdict_uses_the_scenarios_gate_and_its_tolerance():
    """A layer that is no gate does not fail the batch; variance is tolerated where declared."""
    ask = {"user_turns": ["hi"], "target_facts": [["five"]], "must_call": ["look_up"]}
    runtime = RecordingRuntime(RecordingHandle(["five"]))
    only_outcome = Scenario("a", **ask, gate_layers=["outcome"])
    assert run_scenario(only_outcome, runtime).aggregate.verdict == "PASS"
    assert run_scenario(Scenario("a", **ask), runtime).aggregate.verdict == "FAIL"
    tolerant = Scenario("a", **ask, variance_allowed=True)
    assert run_scenario(tolerant, runtime).aggregate.verdict == "PASS_WITH_VARIANCE"


def test_a_must_call_scenario_passes_on_calls_the_agent_reports():
    """Intermediate calls surface in the transcript and are scored."""
    handle = RecordingHandle([says("five", ("look_up", {"id": "ACC-LSPN-001"}))])
    scenario = Scenario("a", "hi", must_call=["look_up"], requires_tool_use=True)
    assert run_scenario(scenario, RecordingRuntime(handle)).aggregate.verdict == "PASS"


def test_no_file_is_written(sealed):
    """The caller stores what it is handed."""
    before = sorted(sealed.rglob("*"))
    run_scenario(Scenario("a", "hi"), RecordingRuntime(), runs_per_scenario=2)
    assert sorted(sealed.rglob("*")) == before
