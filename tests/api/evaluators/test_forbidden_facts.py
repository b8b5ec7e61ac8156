"""Forbidden facts: asserted or denied."""

from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.evaluators import NEGATION_CUES, has_any_forbidden

quiet_words = st.lists(st.sampled_from(["it", "was", "seen", "today", "by", "us"]), max_size=4)


def test_a_mention_without_a_cue_in_its_sentence_is_an_assertion(subtests):
    """A denial in another clause denies nothing; one assertion is enough."""
    for text in [
        "Parsing is not at fault. Caching broke it",
        "not the parser; caching broke it",
        "caching broke it. It is not the parser",
        "Is it not the parser? Caching broke it",
        "not the parser\ncaching broke it",
        "no! caching",
        "CACHING",
        "not the parser, caching broke it",
        "caching broke it; parsing is not at fault",
        "caching broke it without a warning",
        "caching broke it with no warning",
        "not only parsing but caching broke it",
        "it is not true that caching did not break it",
        "not " + "x" * 30 + ", but caching",
        "not caching, and yet after all of this it is the caching",
    ]:
        with subtests.test(text=text):
            assert has_any_forbidden(text, ["caching"])


def test_a_cue_in_the_same_sentence_disclaims_a_mention(subtests):
    """Denials are no assertions, however the apostrophe is written."""
    for text in [
        "not " + "x" * 30 + " caching",
        "not the parser or caching",
        "no parsing, caching or sorting broke it",
        "nothing broke caching",
        "caching is not at fault",
        "no caching issue",
        "it isn't caching",
        "it isn\N{RIGHT SINGLE QUOTATION MARK}t caching",
        "works without caching",
        "caching is an unknown word here",
        "caching: no such thing",
        "a nonexistent caching layer",
        "it was never caching",
        "none of it is caching",
        "neither parsing nor caching",
        "we cannot blame caching",
        "Nor caching",
    ]:
        with subtests.test(text=text):
            assert not has_any_forbidden(text, ["caching"])


def test_a_cue_inside_another_word_denies_nothing(subtests):
    """Cues count at the beginning of a word only, and the short words must be whole."""
    for text, fact in [
        ("casino phantom", "phantom"),
        ("a knot phantom", "phantom"),
        ("phantom piano keys", "phantom"),
        ("Nonetheless caching broke it", "caching"),
        ("Nevertheless, caching broke it", "caching"),
        ("a minority of caching", "caching"),
        ("an arena of caching", "caching"),
    ]:
        with subtests.test(text=text, fact=fact):
            assert has_any_forbidden(text, [fact])


def test_numbers_and_identifiers_are_whole_and_phrases_are_not(subtests):
    """What a fact looks like decides how it is found."""
    for text, fact, asserted in [
        ("cached", "cache", False),
        ("cache_line", "cache", False),
        ("the cache.", "cache", True),
        ("The answer is 3.", "3", True),
        ("order-3001", "3", False),
        ("1,000 units", "1000", True),
        ("3.5 units", "3", False),
        ("B003CCC", "003", False),
        ("code 003", "003", True),
        ("code 003", "3", False),
        ("pre-cached-data", "cached-data", True),
        ("xcached-data", "cached-data", True),
        ("see 3rdparty", "3rd", True),
        ("\N{ARABIC-INDIC DIGIT THREE} units", "\N{ARABIC-INDIC DIGIT THREE}", True),
        ("x\N{ARABIC-INDIC DIGIT THREE}", "\N{ARABIC-INDIC DIGIT THREE}", False),
    ]:
        with subtests.test(text=text, fact=fact, asserted=asserted):
            assert has_any_forbidden(text, [fact]) is asserted


def test_a_blank_fact_is_never_asserted(subtests):
    """Nothing can be said of an empty fact, next to a cue or elsewhere."""
    for fact in ["", " ", "\n\t"]:
        with subtests.test(fact=fact):
            assert not has_any_forbidden("there is no such thing, not here", [fact])
            assert not has_any_forbidden("", [fact])


def test_spaces_around_a_fact_do_not_count(subtests):
    """A padded fact is found where the trimmed one is."""
    for fact in ["caching", "3", "the cache-line", "a.b"]:
        with subtests.test(fact=fact):
            assert has_any_forbidden(f"so {fact}", [f"  {fact} "])
            assert not has_any_forbidden(f"not {fact}", [f"  {fact} "])


def test_no_facts_are_never_asserted():
    """An empty list forbids nothing."""
    assert not has_any_forbidden("caching", [])


def test_the_published_cues_come_first():
    """The cues that authors know keep their order, new ones follow."""
    assert NEGATION_CUES[:9] == (
        "no ",
        "not ",
        "n't",
        "without",
        "invalid",
        "unknown",
        "no such",
        "non-existent",
        "nonexistent",
    )
    assert {"never", "none", "neither"} <= set(NEGATION_CUES[9:])


@given(text=st.text(), facts=st.lists(st.text(), max_size=4))
def test_any_text_and_any_facts_get_an_answer(text, facts):
    """The rule ends and answers for whatever an agent or author writes."""
    assert has_any_forbidden(text, facts) in {True, False}


@given(
    text=st.text(alphabet="ab 3.not'n;,-_"),
    fact=st.text(alphabet="ab 3.not'n-_", min_size=1),
    padding=st.text(alphabet=" \t\n", max_size=3),
)
def test_padding_never_changes_the_answer(text, fact, padding):
    """Facts are searched in the form in which they are classified."""
    assert has_any_forbidden(text, [fact]) == has_any_forbidden(text, [padding + fact + padding])


@given(before=quiet_words, after=quiet_words, cue=st.sampled_from(NEGATION_CUES))
def test_every_cue_disclaims_and_nothing_else_does(before, after, cue):
    """A mention among quiet words is asserted; the same with any cue beside it is not."""
    said = " ".join([*before, "caching", *after])
    assert has_any_forbidden(said, ["caching"])
    word = "isn't" if cue == "n't" else cue.strip()
    assert not has_any_forbidden(f"it {word} caching", ["caching"])
    # Behind a mention, these say something of the next word.
    says_it_of_another = word in {"no", "without", "nor", "none"}
    assert has_any_forbidden(f"caching is {word} it", ["caching"]) is says_it_of_another


@given(facts=st.lists(st.sampled_from(["caching", "parsing", "3", "x-y"]), max_size=4))
def test_several_facts_are_asserted_when_one_is(facts):
    """The list is an alternative: order and repetition do not matter."""
    text = "caching, 3 of it; there is not any parsing"
    expected = any(has_any_forbidden(text, [fact]) for fact in facts)
    assert has_any_forbidden(text, facts) == expected
