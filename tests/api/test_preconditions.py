"""What a scenario may require of the world, and what it says when the world is otherwise."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.preconditions import (
    Check,
    FileExists,
    Precondition,
    PreconditionContext,
    StateProbeAvailable,
    ToolAvailable,
    WorldMismatchError,
)
from wt_git.spi.agent_runtime import AgentConfig


class Serving:
    """A tool server's handle that lists what it is given, or raises it."""

    def __init__(self, *tools: object, error: Exception | None = None) -> None:
        self.tools = tools
        self.error = error

    def served_tools(self):
        if self.error is not None:
            raise self.error
        return self.tools


class Silent:
    """A handle that cannot list its tools."""

    served_tools = "not a method"


def world(**parts) -> PreconditionContext:
    """A context with nothing in it but the given parts."""
    return PreconditionContext(
        **({"mcp_handles": [], "state_probe": None, "agent_config": AgentConfig()} | parts)
    )


def test_a_tool_is_found_in_each_form_of_listing(subtests):
    """Names may be decorated; items may be names, objects, or hold a name."""
    for tool in [
        "client_lookup",
        "ops.client_lookup",
        {"name": "mcp_acme_client_lookup"},
        SimpleNamespace(name="client_lookup"),
    ]:
        with subtests.test(tool=tool):
            assert (
                ToolAvailable("client_lookup").check(world(mcp_handles=[Serving("x", tool)]))
                is None
            )


def test_a_tool_of_another_name_is_not_enough():
    """The reason says what is served instead."""
    handles = [Serving("order_query", {"name": "invoice_send"}, {"title": "x"}), Serving()]
    reason = ToolAvailable("client_lookup").check(world(mcp_handles=handles))
    assert "'client_lookup'" in reason
    assert "order_query, invoice_send" in reason
    assert "no tool" in reason


def test_without_a_tool_server_no_tool_is_available():
    """A runtime that brings its own tools shows the bench none."""
    reason = ToolAvailable("client_lookup").check(world())
    assert "no tool server" in reason


def test_a_server_that_cannot_answer_is_reported_and_passed_over():
    """Another one may still serve the tool."""
    broken = [Silent(), Serving(error=ConnectionError("refused"))]
    reason = ToolAvailable("a").check(world(mcp_handles=broken))
    assert "Silent cannot list" in reason
    assert "Serving failed to list its tools (ConnectionError('refused'))" in reason
    assert ToolAvailable("a").check(world(mcp_handles=[*broken, Serving("a")])) is None


def test_an_absolute_path_is_looked_up_on_this_machine(tmp_path):
    """The runtime's folders play no part."""
    path = tmp_path / "seed.db"
    check = FileExists(str(path))
    reason = check.check(world(workspace_dir=tmp_path / "w", workspace_template=tmp_path / "t"))
    assert reason.count(str(path)) == 2  # what was asked for, and the one place it was sought
    path.touch()
    assert check.check(world()) is None
    assert FileExists(tmp_path).check(world()) is None


@pytest.mark.parametrize("place", ["template", "workspace", "here"])
def test_a_relative_path_is_looked_up_where_the_agent_works(tmp_path, monkeypatch, place):
    """In the template, the workspace, or the working directory: one of them is enough."""
    for name in ("template", "workspace", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    context = world(workspace_template=tmp_path / "template", workspace_dir=tmp_path / "workspace")
    check = FileExists("data/orders.csv")
    tried = [tmp_path / name / "data/orders.csv" for name in ("template", "workspace", "here")]
    assert check.check(context).endswith(", ".join(map(str, tried)))
    (tmp_path / place / "data").mkdir()
    (tmp_path / place / "data" / "orders.csv").touch()
    assert check.check(context) is None


def test_a_place_is_tried_once(tmp_path, monkeypatch):
    """A runtime may work in the working directory itself."""
    monkeypatch.chdir(tmp_path)
    reason = FileExists("x").check(world(workspace_dir=tmp_path, workspace_template=tmp_path))
    assert reason.count(str(tmp_path)) == 1


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_a_path_that_cannot_be_is_not_there(path):
    """The system refuses to look it up, which is an answer too."""
    assert "not found" in FileExists(path).check(world())


def test_a_probe_is_wired_or_not():
    """Only what the pack or the caller wired counts."""
    assert StateProbeAvailable().check(world()) == "no state probe was wired"
    assert StateProbeAvailable().check(world(state_probe=object())) is None


def test_a_function_answers_for_the_world(subtests):
    """None and True are fine, False has the description, anything else is the reason."""
    for answer, reason in [
        (None, None),
        (True, None),
        (False, "rows are seeded"),
        ("seed rows missing", "seed rows missing"),
        (0, "0"),
        (1, "1"),
        ([], "[]"),
    ]:
        with subtests.test(answer=answer, reason=reason):
            assert (
                Check(lambda ctx, answer=answer: answer, "rows are seeded").check(world()) == reason
            )


def test_a_function_sees_the_context():
    """It may ask the probe, the tools, or the agent's configuration."""
    context = world(state_probe=SimpleNamespace(capture=lambda: {"rows": 3}))
    assert Check(lambda ctx: str(ctx.state_probe.capture()["rows"]), "").check(context) == "3"


def test_a_function_that_raises_fails():
    """With the description and the message."""
    reason = Check(lambda ctx: {}["db"], "rows are seeded").check(world())
    assert reason == "rows are seeded: KeyError: 'db'"


def test_a_check_reads_the_same_in_every_report():
    """Its representation has no address in it."""
    assert (
        repr(Check(lambda ctx: None, "rows are seeded")) == "Check(description='rows are seeded')"
    )


def test_a_context_is_fixed_and_mostly_optional():
    """Only tools, probe and configuration are always there."""
    context = world()
    assert (context.runtime_handle, context.workspace_dir, context.workspace_template) == (
        None,
        None,
        None,
    )
    with pytest.raises(AttributeError):
        context.state_probe = object()


def test_a_precondition_must_be_able_to_check():
    """The base class has no opinion."""
    with pytest.raises(TypeError, match="abstract"):
        Precondition()


def test_a_mismatch_lists_every_failure():
    """Each on a line of its own, under the scenario's name."""
    failures = ["ToolAvailable(name='a'): gone", "Check(description='b'): b"]
    error = WorldMismatchError("lookup", failures)
    assert isinstance(error, RuntimeError)
    assert (error.scenario_name, error.failures) == ("lookup", failures)
    assert error.failures is not failures
    first, *others = str(error).splitlines()
    assert "'lookup'" in first
    assert [line.strip(" -") for line in others] == failures


@given(name=st.text(), tools=st.lists(st.text() | st.integers() | st.none(), max_size=4))
def test_whatever_is_served_is_answered(name, tools):
    """A strange listing is a reason or a match, never an exception."""
    reason = ToolAvailable(name).check(world(mcp_handles=[Serving(*tools)]))
    assert reason is None or isinstance(reason, str)


@given(st.text())
def test_whatever_is_sought_is_answered(path):
    """A strange path is there or it is not."""
    reason = FileExists(path).check(world())
    assert reason is None or "not found" in reason
