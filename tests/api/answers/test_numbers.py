"""Deciding whether a number is stated."""

from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.answers.answer import Answer
from wt_git.api.answers.normalise import normalised
from wt_git.api.answers.numbers import Kind, numbers_in
from wt_git.api.scenario import NumberFact

numbers = st.integers(min_value=-9999, max_value=9999)


def find_number(text, fact):
    return Answer(text).find_number(fact)


def kinds(text):
    return [one.kind for one in numbers_in(normalised(text))]


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
    for text in [
        "Quantity: 3.",
        "#3",
        "3%",
        "3",
        "(3)",
        "exactly 3, no more",
        "3.0",
        "3kg",
        "EUR3",
        "\uff13",
        "\u0663",
        "\u0969",
        "three",
        "3\u4ef6",
    ]:
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
    for text in ["there are 3", "3 reorders", "3 orders_total"]:
        with subtests.test(text=text):
            finding = find_number(text, NumberFact(3, "orders"))
            assert finding.stated
            assert "appears nowhere" in finding.detail


def test_another_unit_blocks_the_number(subtests):
    """What a number counts is said behind it, before it, or in the heading of its column."""
    for text in [
        "3 apples" + " " * 60 + "and orders",
        "3 apples and 5 orders",
        "3%",
        "$3",
        "3 kg",
        "3 customers",
        "Customers: 3\nOrders: 5",
        "| Customers | Orders |\n|---|---|\n| 3 | 5 |",
        "| Customers | 3 |\n| Orders | 5 |",
    ]:
        with subtests.test(text=text):
            finding = find_number(text, NumberFact(3, "orders"))
            assert not finding.stated
            assert "not with its unit" in finding.detail


def test_a_number_without_a_unit_near_it_is_stated(subtests):
    """A use of the unit elsewhere takes nothing away."""
    for text in [
        "I looked at the orders. For the last of the three clients that you named it is 3.",
        "| Client | Orders |\n|---|---|\n| Lowell Spinners | 3 |",
        "It is 3. Ask me for other orders.",
    ]:
        with subtests.test(text=text):
            assert find_number(text, NumberFact(3, "orders")).stated


def test_a_number_that_counts_nothing_is_not_stated(subtests):
    """Its class is the reason."""
    for text, kind in [
        ("1. Acme\n2. Brown\n3. Cole", Kind.LIST_MARKER),
        ("(1) Acme (2) Brown (3) Cole", Kind.LIST_MARKER),
        ("order 3 is open", Kind.IDENTIFIER),
        ("Order #3 is open", Kind.IDENTIFIER),
        ("Bestellung Nr. 3", Kind.IDENTIFIER),
        ("订单号3", Kind.IDENTIFIER),
        ("as shown in the report [3]", Kind.IDENTIFIER),
        ("https://example.org/3", Kind.IDENTIFIER),
        ("on May 3", Kind.DATE),
        ("le 3 mai", Kind.DATE),
        ("5月3日", Kind.DATE),
        ("at 3 pm", Kind.TIME),
        ("um 3 Uhr", Kind.TIME),
        ("at 3:00", Kind.TIME),
        ("the 3rd", Kind.ORDINAL),
        ("am 3. Tag", Kind.ORDINAL),
        ("第3", Kind.ORDINAL),
        ("2-3 of them", Kind.RANGE),
        ("between 2 and 3", Kind.RANGE),
        ("2 bis 3", Kind.RANGE),
    ]:
        with subtests.test(text=text):
            assert kind in kinds(text)
            finding = find_number(text, NumberFact(3))
            assert not finding.stated
            assert kind.value in finding.detail


def test_scales_and_groups_belong_to_the_number(subtests):
    """`3 million` is not 3, and figures in groups are one number."""
    for text in [
        "3 million",
        "3k",
        "3 Tausend",
        "3 тысячи",
        "3万",
        "3 000",
        "3'000",
        "1 003",
        "3.5",
    ]:
        with subtests.test(text=text):
            assert not find_number(text, NumberFact(3)).stated
    for text, value in [
        ("3 million", 3_000_000),
        ("3k", 3000),
        ("1,2 Mio.", 1_200_000),
        ("3万", 30_000),
        ("1 200 commandes", 1200),
        ("1'200", 1200),
        ("2 lakh", 200_000),
    ]:
        with subtests.test(text=text, value=value):
            assert find_number(text, NumberFact(value)).stated


def test_the_other_numbers_of_a_text_show_its_separators(subtests):
    """Where nothing shows them, either reading is stated."""
    for text, stated in [
        ("1.200", True),
        ("1.200 und 3,5", True),
        ("1.200,50", False),
        ("1.200 and 12.5", False),
        ("1.200 and 1,000.50", False),
        ("1,200", True),
        ("1,200 und 3,5 kg und 1.000", False),
    ]:
        with subtests.test(text=text):
            assert find_number(text, NumberFact(1200)).stated is stated


def test_number_words_are_read_in_every_language(subtests):
    """A word that is part of a longer number is another number."""
    for text in [
        "seventy-five orders",
        "fünfundsiebzig Bestellungen",
        "soixante-quinze commandes",
        "setenta y cinco pedidos",
        "settantacinque ordini",
        "setenta e cinco pedidos",
        "vijfenzeventig bestellingen",
        "siedemdziesiąt pięć zamówień",
        "семьдесят пять заказов",
        "yetmiş beş sipariş",
        "七十五件订单",
        "七十五件の注文",
        "칠십오 건의 주문",
        "خمسة وسبعون طلبا",
        "पचहत्तर ऑर्डर",
        "เจ็ดสิบห้ารายการ",
    ]:
        with subtests.test(text=text):
            assert find_number(text, NumberFact(75)).stated
    for text in [
        "one hundred seventy-five",
        "einhundertfünfundsiebzig",
        "一百七十五件",
        "seventy-five thousand",
    ]:
        with subtests.test(text=text):
            assert not find_number(text, NumberFact(75)).stated


def test_a_number_that_the_text_denies_is_stated_and_not_asserted(subtests):
    """Denials, other times, guesses and limits; a contrast leaves its second part asserted."""
    for text, asserted in [
        ("There are 75.", True),
        ("There are not 75.", False),
        ("It is not 80 but 75.", True),
        ("It is 80, not 75.", False),
        ("Last month it was 75, today it is 80.", False),
        ("Last month it was 80, today it is 75.", True),
        ("There are more than 75.", False),
        ("There might be 75.", False),
        ("Are there 75?", False),
    ]:
        with subtests.test(text=text):
            finding = find_number(text, NumberFact(75))
            assert finding.stated
            assert finding.asserted is asserted


def test_a_blank_unit_is_no_unit(subtests):
    """Without a unit the number alone decides."""
    for unit in [None, "", "  "]:
        with subtests.test(unit=unit):
            assert find_number("3", NumberFact(3, unit)).detail == "3 is stated"


@given(said=st.lists(numbers, max_size=6), grouped=st.booleans(), asked=numbers)
def test_a_number_is_stated_exactly_when_the_text_says_it(said, grouped, asked):
    """Among any numbers, written either way, those said are found and no others."""
    text = "; it is ".join(f"{number:,}" if grouped else str(number) for number in said)
    assert find_number(text, NumberFact(asked)).stated == (asked in said)


@given(text=st.text(), value=st.integers(), unit=st.none() | st.text())
def test_any_text_and_any_fact_get_an_answer(text, value, unit):
    """No text or unit, pattern characters included, makes the rule fail."""
    finding = find_number(text, NumberFact(value, unit))
    assert str(value) in finding.detail
    assert finding.stated or not finding.asserted


@given(text=st.text(alphabet="3,. -orders"), unit=st.sampled_from(["orders", "order", "$"]))
def test_a_unit_never_makes_a_number_stated(text, unit):
    """A unit can only take away from what the number alone would be."""
    if find_number(text, NumberFact(3, unit)).stated:
        assert find_number(text, NumberFact(3)).stated
