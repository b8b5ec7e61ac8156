"""Where a fact stands in a text."""

from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.answers.answer import Answer
from wt_git.api.answers.facts import fact_spans
from wt_git.api.answers.normalise import normalised


def states(text, *group, **options):
    return Answer(text).find_fact(group, **options).stated


def test_a_member_states_its_group(subtests):
    """In any case; a group without members is never stated, and a blank one always is."""
    for group, stated in [
        (["Lowell Spinners"], True),
        (["lowell spinners"], True),
        (["absent", "SPINNERS"], True),
        (["spinner"], True),
        ([""], True),
        (["absent"], False),
        ([], False),
    ]:
        with subtests.test(group=group):
            assert states("lowell spinners has 75 orders", *group) is stated


def test_a_fact_is_no_part_of_a_word_or_number(subtests):
    """With `substring` it may be."""
    for text, fact in [
        ("You have 14 orders.", "4 orders"),
        ("You have -4 orders.", "4 orders"),
        ("You have 1,004 orders.", "004 orders"),
        ("You have 3.4 orders.", "4 orders"),
        ("You have 12 400 orders.", "400 orders"),
        ("It costs 75.50", "75"),
        ("It costs 75 000", "75"),
        ("golden", "gold"),
        ("marigold", "gold"),
        ("незаказной", "заказ"),
        ("client_lookup", "client"),
    ]:
        with subtests.test(text=text, fact=fact):
            assert not states(text, fact)
            assert states(text, fact, substring=True)


def test_what_ends_a_fact_is_no_longer_word(subtests):
    """Plurals, cases and articles, and letters of a script without spaces."""
    for text, fact in [
        ("14 orders", "14 order"),
        ("the boxes", "box"),
        ("Lowell's", "Lowell"),
        ("75 Bestellungen", "75 Bestellung"),
        ("75 заказов", "75 заказ"),
        ("للطلبات", "طلب"),
        ("75kg", "75"),
        ("您是gold会员", "gold"),
        ("未结订单75个", "75"),
        ("골드입니다", "골드"),
        ("ゴールド会員", "ゴールド"),
        ("20:00.", "20:00"),
    ]:
        with subtests.test(text=text, fact=fact):
            assert states(text, fact)


def test_typography_hides_no_fact(subtests):
    """Spaces, lines, apostrophes, hyphens, emphasis, width and composition are no differences."""
    for text, fact in [
        ("Lowell\N{NO-BREAK SPACE}Spinners", "Lowell Spinners"),
        ("Lowell\n  Spinners", "Lowell Spinners"),
        ("Lowell\N{NARROW NO-BREAK SPACE}Spinners", "Lowell Spinners"),
        ("**Lowell** Spinners", "Lowell Spinners"),
        ("_Lowell_ __Spinners__", "Lowell Spinners"),
        ("`Lowell` Spinners", "Lowell Spinners"),
        ("<b>Lowell</b> Spinners", "Lowell Spinners"),
        ("[Lowell](https://example.org) Spinners", "Lowell"),
        ("can\N{RIGHT SINGLE QUOTATION MARK}t", "can't"),
        ("can't", "can\N{RIGHT SINGLE QUOTATION MARK}t"),
        ("well\N{NON-BREAKING HYPHEN}known", "well-known"),
        ("cafe\N{COMBINING ACUTE ACCENT}", "caf\N{LATIN SMALL LETTER E WITH ACUTE}"),
        ("\uff27\uff4f\uff4c\uff44", "gold"),
        ("go\N{SOFT HYPHEN}ld", "gold"),
        ("go\N{ZERO WIDTH SPACE}ld", "gold"),
        ("\N{LATIN SMALL LIGATURE FI}x", "fix"),
        ("75 \u4ef6", "75\u4ef6"),
        ("\u672a\u7ed3\n\u8ba2\u5355", "\u672a\u7ed3\u8ba2\u5355"),
        ("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}stanbul", "istanbul"),
        ("STRASSE", "Stra\N{LATIN SMALL LETTER SHARP S}e"),
        ("client_lookup", "client_lookup"),
        ("~75 &amp; more", "& more"),
    ]:
        with subtests.test(text=text, fact=fact):
            assert states(text, fact)


@given(text=st.text(), fact=st.text())
def test_any_text_and_fact_get_an_answer(text, fact):
    """And every place that is found is in the text."""
    plain = normalised(text)
    for start, end in fact_spans(plain, normalised(fact)):
        assert 0 <= start < end <= len(plain)


@given(st.text())
def test_a_text_in_its_form_keeps_it(text):
    """The form of a form is the same, apart from marks that only show up in it."""
    once = normalised(text.replace("*", "").replace("_", "").replace("`", "").replace("&", ""))
    assert normalised(once) == normalised(normalised(once))


def test_long_adversarial_texts_are_read_in_one_pass():
    """Texts that make naive patterns backtrack are read like any other."""
    for text in ["1-" * 20_000, "9" * 50_000, "1 " * 20_000, "a" * 50_000, "_a " * 20_000, "[" * 50_000,
                 "not " * 10_000, "75, " * 10_000, "(" * 50_000, "|75" * 5_000]:  # fmt: skip
        answer = Answer(text)
        assert answer.find_fact(["gold"]).stated is False
        assert answer.asserts("gold") is False
        assert len(answer.stated_numbers.numbers) <= len(text)
