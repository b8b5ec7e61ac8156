"""The outcome layer."""

from hypothesis import given
from kit.traces import a_trace, assistant, traces, user

from wt_git.api.evaluators import evaluate_outcome
from wt_git.api.scenario import NumberFact, Scenario
from wt_git.api.score import LayerResult

CALL = {"id": "1", "name": "order_query", "args": {}}


def judge(*turns, mcp_calls=(), worker_warnings=(), **fields):
    trace = a_trace(*turns, mcp_calls=list(mcp_calls), worker_warnings=list(worker_warnings))
    return evaluate_outcome(trace, Scenario(name="s", prompt="How many?", **fields))


def raising(trace):
    raise LookupError("boom")


def silent(trace):
    raise AssertionError


def test_without_an_assistant_turn_nothing_else_is_asked():
    """The layer fails before an `outcome_fn` is called."""
    result = judge(user(), outcome_fn=raising)
    assert not result.passed
    assert "no assistant turn" in result.detail


def test_a_right_answer_without_evidence_of_tool_use_fails(subtests):
    """Guessing is caught before facts and before an `outcome_fn`, and the detail says how."""
    for turns, calls, warnings, why in [
        ([assistant("75")], [], [], "transcript"),
        ([assistant("75", CALL)], [], ["mcp_evidence: available"], "recorded no call"),
        (
            [assistant("75", CALL)],
            [{"tool_name": "order_query"}],
            ["mcp_evidence: unavailable (x)"],
            "could not be read",
        ),
    ]:
        with subtests.test(turns=turns, calls=calls, warnings=warnings):
            for fields in ({"target_facts": [["75"]]}, {"outcome_fn": raising}):
                result = judge(
                    *turns,
                    mcp_calls=calls,
                    worker_warnings=warnings,
                    requires_tool_use=True,
                    **fields,
                )
                assert not result.passed
                assert "no_tools_used" in result.detail
                assert why in result.detail


def test_a_right_answer_with_tool_use_passes():
    """A claimed call counts where no server could contradict it."""
    assert judge(assistant("75", CALL), requires_tool_use=True, target_facts=[["75"]]).passed


def test_an_outcome_fn_owns_the_layer():
    """Its result is the layer, metrics included; facts, numbers and forbidden facts are not asked."""
    mine = LayerResult(passed=True, detail="graded", metrics={"rows": 3})
    result = judge(
        assistant("wrong"),
        outcome_fn=lambda _: mine,
        target_facts=[["right"]],
        target_numbers=[NumberFact(1)],
        forbidden_facts=["wrong"],
    )
    assert result is mine


def test_an_outcome_fn_that_breaks_fails_the_layer(subtests):
    """A raise names its message, any other answer its type; nothing passes through."""
    for fn, said in [
        (raising, "boom"),
        (silent, "AssertionError"),
        (lambda _: True, "bool"),
        (lambda _: None, "NoneType"),
        (lambda _: (True, "fine"), "tuple"),
    ]:
        with subtests.test(fn=fn, said=said):
            result = judge(assistant(), outcome_fn=fn)
            assert (result.passed, result.metrics) == (False, {})
            assert "outcome_fn error" in result.detail
            assert said in result.detail


def test_a_careless_layer_result_is_given_real_types(subtests):
    """What a comparison or library returned becomes the boolean and string that files hold."""
    for passed, detail in [(1, "ok"), (True, None), ([], 5)]:
        with subtests.test(passed=passed, detail=detail):
            answer = LayerResult(passed, detail, {"n": 1})
            result = judge(assistant(), outcome_fn=lambda _, answer=answer: answer)
            assert result.passed is bool(passed)
            assert isinstance(result.detail, str)
            assert result.metrics == {"n": 1}


def test_every_group_needs_one_of_its_members(subtests):
    """Groups are joined by and, members by or."""
    for answer, passed in [
        ("A and B", True),
        ("a and b", True),
        ("B", False),
        ("A", False),
        ("", False),
    ]:
        with subtests.test(answer=answer, passed=passed):
            result = judge(assistant(answer), target_facts=[["A", "alpha"], ["B"]])
            assert result.passed is passed


def test_only_the_last_answer_counts():
    """What an earlier turn said satisfies nothing and breaks nothing."""
    turns = [assistant("75, forbidden"), user(), assistant("no idea")]
    assert not judge(*turns, target_facts=[["75"]]).passed
    assert judge(*turns, forbidden_facts=["forbidden"]).passed


def test_missing_groups_are_named_first_and_alone():
    """Facts decide before numbers, numbers before forbidden facts."""
    fields = {
        "target_facts": [["Lowell"], ["Portland", "Pickles"]],
        "target_numbers": [NumberFact(75, "orders")],
        "forbidden_facts": ["caching"],
    }
    facts = judge(assistant("Lowell; caching"), **fields)
    assert "['Portland', 'Pickles']" in facts.detail
    assert "Lowell'" not in facts.detail.split("(the answer")[0]
    assert "75" not in facts.detail
    numbers = judge(assistant("Lowell, Pickles; caching"), **fields)
    assert "75 is not stated" in numbers.detail
    assert "forbidden" not in numbers.detail
    forbidden = judge(assistant("Lowell, Pickles, 75; caching"), **fields)
    assert "forbidden" in forbidden.detail
    assert "caching" in forbidden.detail
    denied = judge(assistant("Lowell, Pickles, 75; not caching"), **fields)
    assert denied.passed


def test_the_detail_says_what_became_of_a_unit(subtests):
    """Whether the unit confirmed, was missing or contradicted stands in the detail."""
    for answer, passed, said in [
        ("75 orders", True, "with its unit"),
        ("there are 75", True, "appears nowhere"),
        ("75 apples, and far away in another warehouse some orders", False, "not with its unit"),
    ]:
        with subtests.test(answer=answer, passed=passed, said=said):
            result = judge(assistant(answer), target_numbers=[NumberFact(75, "orders")])
            assert result.passed is passed
            assert said in result.detail


def test_a_fact_that_is_only_denied_passes_with_a_warning_or_fails(subtests):
    """`facts_must_be_asserted` decides; a fact that is asserted as well has no warning."""
    for answer, asserted in [
        ("Lowell has 75 orders.", True),
        ("Lowell does not have 75 orders.", False),
        ("Not Portland but Lowell has 75 orders.", True),
        ("I cannot confirm that Lowell has 75 orders.", False),
        ("Lowell does not have 75 orders? Yes, Lowell has 75 orders.", True),
    ]:
        with subtests.test(answer=answer):
            fields = {"target_facts": [["75 orders"]], "target_numbers": [NumberFact(75, "orders")]}
            lenient = judge(assistant(answer), **fields)
            strict = judge(assistant(answer), **fields, facts_must_be_asserted=True)
            assert lenient.passed
            assert ("warning: ['75 orders'] is only denied" in lenient.detail) is not asserted
            assert ("facts_must_be_asserted" in lenient.detail) is not asserted
            assert strict.passed is asserted
            assert ("denied or doubted" in strict.detail) is not asserted


def test_a_fact_inside_a_word_counts_where_the_author_says_so():
    """`fact_substring` is about target facts only."""
    fields = {"target_facts": [["4 orders"]], "forbidden_facts": ["7 orders"]}
    assert not judge(assistant("14 orders"), **fields).passed
    assert judge(assistant("14 orders, not 17 orders"), **fields, fact_substring=True).passed
    assert judge(assistant("14 orders and 17 orders"), **fields, fact_substring=True).passed


def test_a_failure_quotes_at_most_two_hundred_characters():
    """Long answers do not flood reports."""
    detail = judge(assistant("z" * 500), target_facts=[["75"]]).detail
    assert "z" * 200 in detail
    assert "z" * 201 not in detail


def test_an_empty_answer_passes_where_nothing_is_expected():
    """Without facts, numbers and forbidden facts any last turn will do."""
    assert judge(assistant("")).passed


@given(traces())
def test_any_saved_trace_gets_a_verdict(trace):
    """No trace makes the layer fail to answer."""
    scenario = Scenario(
        name="s",
        prompt="p",
        target_facts=[["a", "1"]],
        target_numbers=[NumberFact(1)],
        forbidden_facts=["b", "2"],
        requires_tool_use=True,
    )
    assert evaluate_outcome(trace, scenario).passed in {True, False}
