"""The policy of a commit, and what a change does to it."""

from __future__ import annotations

import pytest

from wt_git.config import Gate, Settings, parse
from wt_git.evidence.policy import Policy, gate_changes


def settings(text):
    return parse(text.encode(), "x")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", "", ()),
        ("", "[tool.other]\nx = 1", ()),
        (
            "",
            '[tool.windtunnel.gate]\nrequire = "regression"',
            ("gate.require: focused -> regression",),
        ),
        (
            '[tool.windtunnel.gate]\nruntime = "a"\npacks = ["x", "y"]',
            "[tool.windtunnel.gate]\npush_notes = false",
            (
                "gate.runtime: a -> not set",
                "gate.push_notes: true -> false",
                "gate.packs: x, y -> none",
            ),
        ),
        (
            '[tool.windtunnel.ladder.models]\nfocused = ["small"]',
            "[tool.windtunnel.ladder]\nfocused_budget_s = 5",
            ("ladder.focused_budget_s: 900.0 -> 5.0", "ladder.models: focused on small -> none"),
        ),
        ("", "[tool.windtunnel.ladder.pricing]", ("ladder.pricing: not set -> a table",)),
    ],
)
def test_changes_of_the_rules_are_named(before, after, said):
    """Every key of the gate and ladder tables, with both values."""
    assert gate_changes(settings(before), settings(after)) == said


def test_models_are_allowed_by_tier():
    """A tier without a list may use any, also one that is not known."""
    policy = Policy(models={"focused": ("a", "b")})
    assert policy.allows_model("focused", "a")
    assert not policy.allows_model("focused", "c")
    assert not policy.allows_model("focused", None)
    assert policy.allows_model("regression", None)


@pytest.mark.parametrize(
    ("named", "runtime", "target", "about"),
    [
        (None, "http_inject", "http_inject|http://x", True),
        (None, "in_memory", "in_memory", False),
        (None, "my.module:Plugin", "in_memory", False),
        (None, None, None, True),
        ("in_memory", "in_memory", "in_memory", True),
        ("http_inject", "http_inject", "http_inject|http://x", True),
        ("http_inject|http://x", "http_inject", "http_inject|http://x", True),
        ("http", "http_inject", "http_inject|http://x", False),
        ("http_inject", None, None, False),
    ],
)
def test_which_runtime_a_policy_is_about(named, runtime, target, about):
    """Literally the runtime or the target; the one without an agent only where it is named."""
    assert Policy(Gate(runtime=named)).is_about(runtime, target) is about


def test_a_repository_without_settings():
    """The defaults judge."""
    assert settings("") == Settings()
