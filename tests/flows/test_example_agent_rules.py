"""The rules that decide when no model does: as a newcomer meets and edits them."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.example_agent import module

steps = module("steps")
rulebook = module("rulebook")
rules = module("rules")
library = module("library")


def ask(*turns: str) -> tuple[str, list[str]]:
    """What the rules answer to the last of `turns`, and the tools they called for it."""
    decide = rulebook.by_rules(rules.RULES, rules.OTHERWISE)
    tools = {tool.__name__: tool for tool in library.TOOLS}
    messages = [{"role": "user", "content": text} for text in turns]
    called = []
    while (step := asyncio.run(decide(messages, []))).calls:
        for call in step.calls:
            called.append(call.name)
            result = json.dumps(tools[call.name](**call.arguments))
            messages.append({"role": "tool", "content": result})
    return step.text, called


@pytest.mark.parametrize(
    ("turns", "answer", "called"),
    [
        (["Until when are you open on Tuesday?"], "from 09:00 to 20:00", ["opening_hours"]),
        (["Do you open on Sunday?"], "closed on Sunday", ["opening_hours"]),
        (["When do you close?"], "Which day do you mean?", []),
        (["Open on Monday?", "And when do you close?"], "On Monday", ["opening_hours"]),
        (['Who wrote "Dune"?'], "Frank Herbert", ["find_book"]),
        (['Do you have "Emma"?'], 'We do not have "Emma"', ["find_book"]),
        (["Do you have it?"], "Which book do you mean?", []),
        (['Renew "Dune" on card 2041'], "another reader", ["list_loans", "renew_loan"]),
        (['Renew "Emma" on card 2041'], "not on loan to card 2041", ["list_loans"]),
        (['Renew "Dune" on card 7'], "not on loan to card 7", ["list_loans"]),
        (["Renew my book", 'On card 2041, "Dune"'], "I can help you", []),
        (["Sing!"], "I can help you", []),
    ],
)
def test_the_desk_answers(turns, answer, called):
    """The first rule that matches writes the answer, with what the tools said."""
    said, tools = ask(*turns)
    assert answer in said
    assert tools == called


@pytest.mark.parametrize("how", ["Open on Saturday?", "close on saturday"])
def test_as_shipped_one_answer_is_from_memory(how):
    """The planted bug of the tutorial: the hours are right, and nobody looked."""
    said, called = ask(how)
    hours = library.opening_hours("Saturday")
    assert hours["opens"] in said
    assert hours["closes"] in said
    assert called == []


@given(st.lists(st.integers(0, 9), max_size=8))
def test_a_rule_is_replayed_up_to_where_it_wants_something_new(results):
    """It gets the results of this question in order, whatever was said before it."""

    def collect(_said):
        got = []
        for number in range(len(results)):
            result = yield steps.call("next", number=number)
            got.append(result)
        return str(got)

    decide = rulebook.by_rules([("", collect)], "")
    before = [{"role": "user", "content": "first"}, {"role": "tool", "content": "not json"}]
    messages = [*before, {"role": "user", "content": "second"}]
    for number, result in enumerate(results):
        step = asyncio.run(decide(messages, []))
        assert step.calls == (steps.Call("next", {"number": number}),)
        messages.append({"role": "tool", "content": json.dumps(result)})
    assert asyncio.run(decide(messages, [])).text == str(results)


def test_the_newest_mention_counts():
    """What the question says goes before what was said earlier, the newest first."""
    said = rulebook.Conversation("and now?", ("on card 1", "on card 2", "hm"))
    assert said.find(r"card (\d)") == "2"
    assert rulebook.Conversation("card 3", said.earlier).find(r"CARD (\d)") == "3"
    assert said.find("nowhere (.)") is None


def test_a_tool_that_answers_no_json_is_named():
    """A rule cannot go on with that, and the turn says why."""
    decide = rulebook.by_rules(rules.RULES, rules.OTHERWISE)
    messages = [
        {"role": "user", "content": "open Monday?"},
        {"role": "tool", "content": "INVALID_JSON{{{"},
    ]
    with pytest.raises(steps.AgentError, match="INVALID_JSON"):
        asyncio.run(decide(messages, []))
