"""Hooks within a batch: what they see, and that nothing they do changes a result."""

from __future__ import annotations

import threading

import pytest
from kit.agents import RecordingHandle, RecordingHook, RecordingRuntime, says

from wt_git.api.scenario import Scenario
from wt_git.errors import LoadError
from wt_git.runner.batch import run_scenario
from wt_git.runner.lifecycle_hooks import LifecycleHooks, check_hook_names
from wt_git.spi import AgentConfig, Hook

TIMEOUT = "WT_HOOK_CONVERSE_TIMEOUT_S"
SCENARIO = Scenario("a", "hi")


def fly(*hooks, handle=None, **options):
    return run_scenario(SCENARIO, RecordingRuntime(handle), hooks=hooks, **options)


def test_each_point_shows_what_exists_there():
    """Ids from the start of a run, trace and score once it is scored, the aggregate at the end."""
    hook = RecordingHook()
    config = AgentConfig("me")
    handle = RecordingHandle()
    result = fly(hook, handle=handle, config=config)
    run = result.runs[0]
    contexts = {phase: ctx for phase, (ctx,) in hook.contexts.items()}
    assert list(contexts) == [
        "on_provisioned",
        "on_run_start",
        "on_run_scored",
        "on_run_end",
        "on_scenario_end",
    ]
    for phase, ctx in contexts.items():
        in_run = phase.startswith("on_run")
        scored = phase in {"on_run_scored", "on_run_end"}
        assert ctx.hook_name == "recorder"
        assert ctx.scenario is SCENARIO
        assert ctx.agent is config
        assert ctx.run_id == (run.trace.run_id if in_run else None)
        assert ctx.session_id == (handle.sessions[0] if in_run else None)
        assert ctx.trace is (run.trace if scored else None)
        assert ctx.score is (run.score if scored else None)
        assert ctx.aggregate is (result.aggregate if phase == "on_scenario_end" else None)


def test_within_a_point_hooks_fire_in_activation_order():
    """Each to completion before the next."""
    log = []

    class Named(RecordingHook):
        def __init__(self, name):
            super().__init__()
            self.name = name

        def _seen(self, ctx):
            log.append((ctx.phase, self.name))

    fly(Named("first"), Named("second"))
    assert log[:4] == [
        ("on_provisioned", "first"),
        ("on_provisioned", "second"),
        ("on_run_start", "first"),
        ("on_run_start", "second"),
    ]
    assert log[4:8] == [
        ("on_run_scored", "first"),
        ("on_run_scored", "second"),
        ("on_run_end", "first"),
        ("on_run_end", "second"),
    ]


@pytest.mark.parametrize(
    ("point", "in_run"),
    [
        ("on_provisioned", False),
        ("on_run_start", True),
        ("on_run_scored", True),
        ("on_run_end", True),
        ("on_scenario_end", False),
    ],
)
def test_a_hook_that_raises_leaves_a_warning_and_its_artifacts(point, in_run):
    """On the run's trace within a run, on the result outside; the next hook runs, nothing fails."""

    def emit_and_raise(ctx):
        ctx.emit_artifact({"n": 1}, "kept")
        raise ValueError("broken hook")

    after = RecordingHook()
    result = fly(RecordingHook(**{point: emit_and_raise}), after)
    (run,) = result.runs
    warnings, artifacts = (
        (run.trace.worker_warnings, run.hook_artifacts)
        if in_run
        else (result.worker_warnings, result.hook_artifacts)
    )
    assert warnings == ["hook:recorder: broken hook"]
    assert [(a.hook_name, a.payload, a.label) for a in artifacts] == [
        ("recorder", {"n": 1}, "kept")
    ]
    assert point in after.log
    assert result.aggregate.verdict == "PASS"


def test_a_run_collects_the_artifacts_of_all_its_points_in_order():
    """Those of the batch are kept apart."""
    points = ("on_provisioned", "on_run_start", "on_run_scored", "on_run_end", "on_scenario_end")
    hook = RecordingHook(**{p: lambda ctx: ctx.emit_artifact(ctx.phase) for p in points})
    result = fly(hook, runs_per_scenario=2)
    for run in result.runs:
        assert [a.payload for a in run.hook_artifacts] == list(points[1:4])
    assert [a.payload for a in result.hook_artifacts] == ["on_provisioned", "on_scenario_end"]


def test_any_object_with_methods_of_these_names_is_a_hook():
    """It needs no base class and only the points it has."""
    seen = []

    class Plain:
        name = "plain"

        def on_run_end(self, ctx):
            seen.append((ctx.hook_name, ctx.phase))

        on_run_start = None

    fly(Plain())
    assert seen == [("plain", "on_run_end")]


def test_a_hook_without_a_name_goes_by_its_class():
    """A class name with capitals cannot name a file, so each of its points is a warning."""

    class lower:  # noqa: N801 - the name is the point
        def on_provisioned(self, ctx):
            ctx.warn("seen")

    class Upper(lower):
        pass

    assert fly(lower()).worker_warnings == ["hook:lower: seen"]
    (warning,) = fly(Upper()).worker_warnings
    assert warning.startswith("hook:Upper: ")
    assert "a-z0-9_-" in warning


def test_a_subclass_is_called_only_at_the_points_it_overrides():
    """No context is made for the others, so a bad name shows only where the hook would act."""

    class Partial(Hook):
        name = "Bad Name"

        def on_scenario_end(self, ctx):
            """Never reached."""

    result = fly(Partial())
    assert len(result.worker_warnings) == 1
    assert result.runs[0].trace.worker_warnings == []


def test_a_question_is_asked_in_the_runs_session_and_changes_nothing():
    """The reply reaches the hook; the trace and the score stay as they were."""
    replies = []
    handle = RecordingHandle(["ok", "because"])
    hook = RecordingHook(on_run_scored=lambda ctx: replies.append(ctx.converse("why?")))
    (run,) = fly(hook, handle=handle).runs
    assert replies == ["because"]
    assert handle.sessions[0] == handle.sessions[1]
    assert handle.sent[1][0] == [{"role": "user", "content": "why?"}]
    assert [turn.content for turn in run.trace.turns] == ["hi", "ok"]
    assert run.trace.worker_warnings == []


@pytest.mark.parametrize(
    "point", ["on_provisioned", "on_run_start", "on_run_end", "on_scenario_end"]
)
def test_nobody_is_asked_at_any_other_point(point):
    """The refusal is contained like any failure of a hook, and nothing is sent."""
    handle = RecordingHandle()
    hook = RecordingHook(**{point: lambda ctx: ctx.converse("why?")})
    result = fly(hook, handle=handle)
    said = [*result.worker_warnings, *result.runs[0].trace.worker_warnings]
    assert len(said) == 1
    assert "converse works only at on_run_scored" in said[0]
    assert len(handle.sent) == 1


class Blocking(RecordingHandle):
    """An agent that hangs from its second turn of a run on, until it is released."""

    def __init__(self):
        super().__init__(["ok", self._hang])
        self.released = threading.Event()
        self.answered = threading.Event()

    def _hang(self, messages, session_id):
        self.released.wait(60)
        self.log.append("late answer")
        self.answered.set()
        return says("late")


def test_a_late_answer_lands_before_the_next_run_is_reset(monkeypatch):
    """The hook gave up, the agent did not; its effects stay within the run."""
    monkeypatch.setenv(TIMEOUT, "0.01")
    handle = Blocking()

    def ask(ctx):
        try:
            ctx.converse("why?")
        finally:
            threading.Timer(0.05, handle.released.set).start()

    result = fly(RecordingHook(on_run_scored=ask), handle=handle)
    assert handle.log == ["provision", "reset_state", "send", "send", "late answer", "teardown"]
    (warning,) = result.runs[0].trace.worker_warnings
    assert warning.startswith("hook:recorder: converse timed out")


def test_only_the_hook_that_blocks_the_agent_is_named(monkeypatch):
    """One that gave up in an earlier run, from which the agent came back, is not."""
    monkeypatch.setenv(TIMEOUT, "0.01")
    handle = Blocking()

    def first_run(ctx):
        if handle.log.count("reset_state") == 1:
            try:
                ctx.converse("why?")
            finally:
                handle.released.set()
                handle.answered.wait(60)

    def second_run(ctx):
        if handle.log.count("reset_state") == 2:
            handle.released.clear()
            ctx.converse("why?")

    class Other(RecordingHook):
        name = "other"

    said = []
    hooks = [RecordingHook(on_run_scored=first_run), Other(on_run_scored=second_run)]
    with pytest.raises(RuntimeError, match="has not ended"):
        fly(
            *hooks,
            handle=handle,
            runs_per_scenario=3,
            on_warning=said.append,
            stuck_after_s=1.0,
        )
    handle.released.set()
    (blocked,) = [warning for warning in said if warning.startswith("hook:")]
    assert blocked.startswith("hook:other: ")


@pytest.mark.parametrize(
    ("runs", "skip_reset"), [(1, False), (2, False), (2, True)], ids=["teardown", "reset", "send"]
)
def test_an_agent_that_never_comes_back_ends_the_batch(monkeypatch, runs, skip_reset):
    """No call waits for ever, and a run it should have flown is no run; who asked is named."""
    monkeypatch.setenv(TIMEOUT, "0.01")
    handle = Blocking()
    said, kept = [], []
    ask = RecordingHook(on_run_scored=lambda ctx: ctx.converse("why?"))
    with pytest.raises(RuntimeError, match="has not ended") as failure:
        fly(
            ask,
            handle=handle,
            runs_per_scenario=runs,
            skip_reset=skip_reset,
            on_run_complete=lambda index, run: kept.append(run),
            on_warning=said.append,
            stuck_after_s=0.02,
        )
    handle.released.set()
    assert "teardown" not in handle.log
    assert handle.log.count("reset_state") == (0 if skip_reset else 1)
    assert len(kept) == 1
    blocked = [warning for warning in said if warning.startswith("hook:recorder: ")]
    assert len(blocked) == 1
    assert kept[0].trace.worker_warnings[-1] == blocked[0]
    assert failure.value.__notes__ == blocked


def test_without_hooks_a_trace_is_what_it_would_be():
    """Hooks that say nothing leave no mark on it."""
    with_hook, without = fly(RecordingHook()).runs[0].trace, fly().runs[0].trace
    for name in ("turns", "worker_warnings", "mcp_calls", "observations", "surface", "usage"):
        left, right = getattr(with_hook, name), getattr(without, name)
        if name == "turns":
            left, right = ([(t.role, t.content) for t in turns] for turns in (left, right))
        assert left == right


def test_hooks_at_the_end_of_a_sweep_are_dispatched_the_same_way():
    """The caller of the runner has a point of its own, with aggregates for all scenarios."""
    hook = RecordingHook(on_pack_end=lambda ctx: ctx.emit_artifact(ctx.aggregate))
    said = []
    artifacts = LifecycleHooks([hook]).dispatch("on_pack_end", said.append, aggregate=[1, 2])
    assert [artifact.payload for artifact in artifacts] == [[1, 2]]
    assert said == []


class NamedHook(Hook):
    def __init__(self, name):
        self.name = name


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["ok", "Bad Name"], "Bad Name"),
        (["score"], "overwrite the score"),
        (["twice", "once", "twice"], "'twice' is named 2 times"),
    ],
)
def test_names_that_would_cost_a_file_are_refused_at_activation(names, said):
    """Before anything is provisioned."""
    with pytest.raises(LoadError, match=said):
        check_hook_names([NamedHook(name) for name in names])


def test_good_names_are_accepted():
    """Order and number do not matter."""
    assert check_hook_names([NamedHook("b"), NamedHook("a-1_x")]) is None
    assert check_hook_names([]) is None
