"""Deciding whether a number is stated."""

from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.evaluators.answer_text import UNIT_REACH, find_number
from wt_git.api.scenario import NumberFact

numbers = st.integers(min_value=-9999, max_value=9999)


def test_a_digit_inside_something_else_is_not_the_number(subtests):
    """Codes, ordinals, longer numbers and fractions do not state 3."""
    for text in [
        "B003CCC",
        "BATCH-2026",
        "order-3001",
        "3rd",
        "v3",
        "003",
        "3.5 kg",
        "13",
        "3,000",
    ]:
        with subtests.test(text=text):
            assert not find_number(text, NumberFact(3)).stated


def test_a_number_of_its_own_is_stated(subtests):
    """Punctuation around a number does not hide it."""
    for text in ["Quantity: 3.", "#3", "3%", "3", "(3)", "exactly 3, no more", "3.0"]:
        with subtests.test(text=text):
            assert find_number(text, NumberFact(3)).stated


def test_separators_and_signs_belong_to_the_number(subtests):
    """`1,000` is 1000 and not 1; `-5` is not 5."""
    for text, value, stated in [
        ("1,000 units", 1000, True),
        ("1,000 units", 1, False),
        ("it is -5 now", -5, True),
        ("it is -5 now", 5, False),
        ("it is 5 now", -5, False),
        ("12,345,678", 12345678, True),
    ]:
        with subtests.test(text=text, value=value, stated=stated):
            assert find_number(text, NumberFact(value)).stated is stated


def test_a_unit_beside_any_occurrence_confirms_the_number(subtests):
    """Every occurrence of the number and of the unit is tried, symbols included."""
    for text, unit in [
        ("3 orders", "orders"),
        ("ORDERS: 3", "orders"),
        ("3 apples" + " " * 60 + "3 orders", "orders"),
        ("orders" + " " * 60 + "now 3 orders", "orders"),
        ("$3", "$"),
        ("3%", "%"),
        ("3 \N{DEGREE SIGN}C", "\N{DEGREE SIGN}C"),
        ("3 orders", " orders "),
    ]:
        with subtests.test(text=text, unit=unit):
            finding = find_number(text, NumberFact(3, unit))
            assert finding.stated
            assert "with its unit" in finding.detail


def test_the_number_alone_is_enough_where_the_unit_is_never_used(subtests):
    """A unit tightens and never blocks, and the detail says which case held."""
    for text in ["there are 3", "3 order", "3 reorders", "3 orders_total"]:
        with subtests.test(text=text):
            finding = find_number(text, NumberFact(3, "orders"))
            assert finding.stated
            assert "appears nowhere" in finding.detail


def test_a_unit_used_only_far_away_blocks_the_number():
    """A text that counts orders, but elsewhere, does not state 3 orders."""
    finding = find_number("3 apples" + " " * 60 + "and orders", NumberFact(3, "orders"))
    assert not finding.stated
    assert "never within" in finding.detail


def test_a_blank_unit_is_no_unit(subtests):
    """Without a unit the number alone decides."""
    for unit in [None, "", "  "]:
        with subtests.test(unit=unit):
            assert find_number("3", NumberFact(3, unit)).detail == "3 is stated"


@given(gap=st.integers(min_value=0, max_value=60), before=st.booleans())
def test_the_reach_is_thirty_characters_on_either_side(gap, before):
    """The unit must lie whole within 30 characters of the number."""
    parts = ("orders", " " * (gap + 1), "3")
    text = "".join(parts if before else reversed(parts))
    distance = gap + 1 + len("orders")
    assert find_number(text, NumberFact(3, "orders")).stated == (distance <= UNIT_REACH)


def test_a_word_cut_by_the_reach_is_not_the_unit():
    """`kgs` does not become `kg` because the reach ends inside it."""
    text = f"3{' ' * 28}kgs and kg"
    assert not find_number(text, NumberFact(3, "kg")).stated


@given(said=st.lists(numbers, max_size=6), grouped=st.booleans(), asked=numbers)
def test_a_number_is_stated_exactly_when_the_text_says_it(said, grouped, asked):
    """Among any numbers, written either way, those said are found and no others."""
    text = " and ".join(f"{number:,}" if grouped else str(number) for number in said)
    assert find_number(text, NumberFact(asked)).stated == (asked in said)


@given(text=st.text(), value=st.integers(), unit=st.none() | st.text())
def test_any_text_and_any_fact_get_an_answer(text, value, unit):
    """No text or unit, pattern characters included, makes the rule fail."""
    finding = find_number(text, NumberFact(value, unit))
    assert str(value) in finding.detail


@given(text=st.text(alphabet="3,. -orders"), unit=st.sampled_from(["orders", "order", "$"]))
def test_a_unit_never_makes_a_number_stated(text, unit):
    """A unit can only take away from what the number alone would be."""
    if find_number(text, NumberFact(3, unit)).stated:
        assert find_number(text, NumberFact(3)).stated
