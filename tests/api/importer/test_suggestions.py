"""What a recorded answer said, as a start for what later answers must say."""

from __future__ import annotations

from hypothesis import given
from kit.conversations import call, envelope, hostile_texts, message, said

from wt_git.api.importer.plan import last_answer, suggested_facts
from wt_git.api.interchange import parse_interchange

SENTENCE = "This sentence is quite long and says one thing among the many that were said here."


def test_lines_are_suggested_or_the_sentences_of_one_long_line(subtests):
    """At most five, none of them blank."""
    for answer, facts in [
        ("", []),
        (" \n\t\n", []),
        ("75 orders.", ["75 orders."]),
        ("  a \n\n b\r\nc", ["a", "b", "c"]),
        ("1\n2\n3\n4\n5\n6", ["1", "2", "3", "4", "5"]),
        ("One. Two.", ["One. Two."]),
        (" ".join([SENTENCE] * 6), [SENTENCE] * 5),
        (f"{'a' * 200}! {'b' * 200}? c", [f"{'a' * 200}!", f"{'b' * 200}?", "c"]),
        ("x" * 240, ["x" * 240]),
        ("x" * 500, ["x" * 500]),
        (f"{SENTENCE} {SENTENCE} {SENTENCE}\nb", [f"{SENTENCE} {SENTENCE} {SENTENCE}", "b"]),
    ]:
        with subtests.test(answer=answer, facts=facts):
            assert suggested_facts(answer) == facts


@given(hostile_texts())
def test_suggestions_are_pieces_of_the_answer(answer):
    """Nothing is made up."""
    facts = suggested_facts(answer)
    assert len(facts) <= 5
    assert all(fact.strip() and fact in answer for fact in facts)


def test_the_last_answer_with_text_counts():
    """A call without words is none, and neither is what anybody else said."""
    raw = envelope(
        said("assistant", "first"),
        said("assistant", "second"),
        message("assistant", call()),
        said("assistant", " \n"),
        said("user", "thanks"),
    )
    assert last_answer(parse_interchange(raw)) == "second"


def test_there_may_be_no_answer():
    """The recording may end with the question."""
    assert last_answer(parse_interchange(envelope(said("user", "hi")))) is None
