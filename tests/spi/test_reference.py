"""Reference cases refuse to exist in a form no agent loop could play."""

from __future__ import annotations

import dataclasses

import pytest

from wt_git.spi.reference import ReferenceCase, ReferenceDecision, ReferenceToolCall

CALL = ReferenceToolCall("look_up", {"id": "ACC-LSPN-001"})
ANSWER = ReferenceDecision("There are 5.")


def test_a_case_of_calls_and_a_final_answer_is_kept():
    """Sequences are kept as tuples; content beside calls is allowed."""
    asks = ReferenceDecision("Let me look.", [CALL, CALL])
    case = ReferenceCase("finds it", "golden", [asks, ANSWER])
    assert case.decisions == (asks, ANSWER)
    assert asks.tool_calls == (CALL, CALL)


def test_the_types_are_frozen():
    """A case shared between runs cannot change under one of them."""
    for value in (CALL, ANSWER, ReferenceCase("a", "poison", (ANSWER,))):
        with pytest.raises(dataclasses.FrozenInstanceError):
            value.name = "other"


def test_a_form_that_cannot_be_played_is_refused(subtests):
    """Each refusal says which rule was broken."""
    for build, said in [
        (lambda: ReferenceToolCall(" "), "name must not be empty"),
        (lambda: ReferenceToolCall(None), "name must not be empty"),
        (lambda: ReferenceToolCall("a", ["x"]), "JSON-serializable"),
        (lambda: ReferenceToolCall("a", {"x": object()}), "JSON-serializable"),
        (lambda: ReferenceToolCall("a", {"x": float("nan")}), "JSON-serializable"),
        (lambda: ReferenceDecision(3), "content must be a string"),
        (ReferenceDecision, "requires content or"),
        (lambda: ReferenceDecision("x", "look_up"), "ReferenceToolCall"),
        (lambda: ReferenceCase("", "golden", [ANSWER]), "name must not be empty"),
        (lambda: ReferenceCase("a", "silver", [ANSWER]), "unknown reference case kind"),
        (lambda: ReferenceCase("a", "golden", []), "no decisions"),
        (lambda: ReferenceCase("a", "golden", ["text"]), "ReferenceDecision"),
        (lambda: ReferenceCase("a", "golden", [ANSWER, ANSWER]), "non-final"),
        (
            lambda: ReferenceCase("a", "golden", [ReferenceDecision("x", [CALL])]),
            "final reference decision",
        ),
        (
            lambda: ReferenceCase("a", "golden", [ReferenceDecision(" ")]),
            "final reference decision",
        ),
    ]:
        with subtests.test(build=build, said=said), pytest.raises(ValueError, match=said):
            build()


def test_two_calls_do_not_share_their_default_arguments():
    """Each call without arguments has an object of its own."""
    assert ReferenceToolCall("a").arguments is not ReferenceToolCall("b").arguments
