"""The scripted runtime."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.runtimes.in_memory import PLUGIN, InMemoryRuntime
from wt_git.spi.agent_runtime import (
    AgentConfig,
    AgentHandle,
    AgentRuntime,
    SamplingConfig,
    SurfaceIntrospectableAgentHandle,
)
from wt_git.spi.reference import ReferenceCapableAgentRuntime
from wt_git.spi.runtime_plugin import RuntimePlugin

ASK = [{"role": "user", "content": "what is 2 + 2?"}]


def handle_of(script=None, **options):
    return InMemoryRuntime(script, **options).provision(AgentConfig())


@pytest.mark.parametrize("script", [None, []])
def test_without_a_script_it_answers_ok(script):
    """No entries, or an empty list of them, mean the single entry `ok`."""
    assert handle_of(script).send(ASK, "s") == {
        "choices": [
            {
                "message": {"role": "assistant", "content": "ok", "tool_calls": []},
                "finish_reason": "stop",
            }
        ]
    }


def test_an_object_entry_passes_its_content_and_calls_through_untouched():
    """Calls of any shape arrive as scripted, the very same object, and set the finish reason."""
    calls = [{"function": {"name": "look", "arguments": "{not json"}}, "odd"]
    choice = handle_of([{"content": None, "tool_calls": calls}]).send(ASK, "s")["choices"][0]
    assert choice["message"]["tool_calls"] is calls
    assert choice["message"]["content"] is None
    assert choice["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("entry", [{}, {"tool_calls": None}])
def test_an_object_entry_may_leave_everything_out(entry):
    """Missing content is empty text, missing or null calls are no calls."""
    choice = handle_of([entry]).send(ASK, "s")["choices"][0]
    assert choice == {
        "message": {"role": "assistant", "content": "", "tool_calls": []},
        "finish_reason": "stop",
    }


@given(st.lists(st.text(), min_size=1, max_size=6), st.integers(0, 12))
def test_one_entry_is_used_per_send_and_the_last_one_repeats(script, sends):
    """Whatever the session, entry after entry is used up, and then the last is given again."""
    handle = handle_of(script)
    given_back = [
        handle.send(ASK, f"session-{number % 2}")["choices"][0]["message"]["content"]
        for number in range(sends)
    ]
    assert given_back == [script[min(number, len(script) - 1)] for number in range(sends)]


def test_a_reset_rewinds_and_forgets_in_place():
    """After a reset the first entry comes again, and the list of calls somebody holds is empty."""
    handle = handle_of(["a", "b"])
    seen = handle.calls
    handle.send(ASK, "s")
    handle.reset_state()
    handle.reset_state()
    assert seen == []
    assert handle.calls is seen
    assert handle.send(ASK, "s")["choices"][0]["message"]["content"] == "a"
    assert (handle.reset_count, handle.teardown_count) == (2, 0)


def test_calls_keep_the_messages_as_they_were():
    """A caller that reuses its list of messages does not rewrite what was recorded."""
    handle = handle_of()
    messages = list(ASK)
    handle.send(messages, "s-1")
    messages.append({"role": "assistant", "content": "ok"})
    assert handle.calls == [(ASK, "s-1")]


def test_teardown_only_counts():
    """Tearing down twice is harmless and both times are counted."""
    handle = handle_of(["a", "b"])
    handle.send(ASK, "s")
    handle.teardown()
    handle.teardown()
    assert handle.teardown_count == 2
    assert handle.reset_count == 0
    assert len(handle.calls) == 1


def test_every_handle_has_a_script_of_its_own():
    """Handles do not share a position, and a list changed after construction changes nothing."""
    script = ["a", "b"]
    runtime = InMemoryRuntime(script)
    script.append("c")
    config = AgentConfig(system_prompt="ignored", sampling=SamplingConfig(temperature=0.0))
    first, second = runtime.provision(config), runtime.provision(config, mcps=[])
    texts = [
        handle.send(ASK, "s")["choices"][0]["message"]["content"] for handle in (first, second)
    ]
    assert texts == ["a", "a"]
    assert runtime.provisions == [(config, first), (config, second)]


def test_usage_model_and_warnings_can_be_scripted():
    """The three keys appear at the top of the response exactly when an entry has them."""
    extra = {"usage": {"prompt_tokens": 3}, "model": "m", "worker_warnings": ["w"]}
    handle = handle_of([{"content": "x", **extra}, {"content": "y"}])
    response = handle.send(ASK, "s")
    assert {key: response[key] for key in extra} == extra
    assert set(handle.send(ASK, "s")) == {"choices"}


def test_the_surface_is_the_given_block_or_unavailable():
    """A given block is reported as a copy; without one nothing is made up."""
    surface = {"status": "rendered", "system_instructions": []}
    reported = handle_of(surface=surface).describe_surface()
    assert reported == surface
    assert reported is not surface
    assert handle_of().describe_surface() == {"status": "unavailable"}


def test_it_offers_what_the_bench_looks_for_and_nothing_more():
    """It reports a surface, takes history, mounts no tools and cannot certify a scenario."""
    runtime = InMemoryRuntime()
    handle = runtime.provision(AgentConfig())
    assert isinstance(runtime, AgentRuntime)
    assert isinstance(handle, AgentHandle)
    assert isinstance(handle, SurfaceIntrospectableAgentHandle)
    assert runtime.accepts_runner_managed_mcps is False
    assert not isinstance(runtime, ReferenceCapableAgentRuntime)
    assert getattr(handle, "_windtunnel_consumes_full_history", True) is True


def test_the_plugin_builds_an_agent_that_says_ok_without_any_limit():
    """`--runtime in_memory` needs no lock: any number of its handles may be in use at once."""
    runtime = PLUGIN.build("in_memory", "label", None)
    assert isinstance(PLUGIN, RuntimePlugin)
    assert PLUGIN.max_concurrency is None
    assert (
        runtime.provision(AgentConfig()).send(ASK, "s")["choices"][0]["message"]["content"] == "ok"
    )
    assert not hasattr(PLUGIN, "lock_key")


def test_it_needs_no_network_and_no_threads():
    """Importing it brings in neither sockets nor threads of ours: it is a list and a position."""
    module = sys.modules["wt_git.runtimes.in_memory"]
    assert not {"socket", "threading", "time", "http"} & set(vars(module))
