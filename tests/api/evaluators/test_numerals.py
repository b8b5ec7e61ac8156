"""Reading the numbers that a text states."""

from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.evaluators.answer_text import canonical_number, split_identifiers, stated_numbers


def keys(text, **options):
    return [found.key for found in stated_numbers(text, **options)]


def test_numbers_are_read_as_people_write_them(subtests):
    """Separators and fractions belong to a number, signs do unless they join words or dash."""
    for text, expected in [
        ("3", ["3"]),
        ("Quantity: 3.", ["3"]),
        ("#3, 4% and 5/6", ["3", "4", "5", "6"]),
        ("1,000 units", ["1000"]),
        ("1,234,567.50", ["1234567.5"]),
        ("12,34", ["12", "34"]),
        ("1,0000", ["1", "0000"]),
        ("1,000,5", ["1", "000", "5"]),
        ("0,123", ["0", "123"]),
        ("3.5 kg", ["3.5"]),
        ("3.0 orders", ["3"]),
        (".5", ["0.5"]),
        ("a .5 b", ["0.5"]),
        ("No.5", ["5"]),
        ("...5", ["5"]),
        ("3.5x 7", ["7"]),
        ("it is -5 now", ["-5"]),
        ("(-5)", ["-5"]),
        ("-$5 or \N{MINUS SIGN}6", ["-5", "-6"]),
        ("$5", ["5"]),
        ("-$1,000.25", ["-1000.25"]),
        ("orders --5", ["5"]),
        ("10-20", ["10", "20"]),
        ("2026-05-01", ["2026", "05", "01"]),
        ("order-3001", ["3001"]),
        ("f(x)-5", ["5"]),
        ("-0", ["0"]),
        ("- 5 orders", ["5"]),
        ("B003CCC 3rd v3 3_000 x_3", []),
        ("003", ["003"]),
        ("1.2.3", ["1.2.3"]),
        ("v1.2", []),
        ("75\N{CJK UNIFIED IDEOGRAPH-4EF6}", []),
        ("", []),
    ]:
        with subtests.test(text=text, expected=expected):
            assert keys(text) == expected


def test_only_ascii_letters_make_words_where_asked():
    """Scripts without spaces may then follow a number; ASCII letters still may not."""
    assert keys("75\N{CJK UNIFIED IDEOGRAPH-4EF6} 3rd", ascii_words=True) == ["75"]


@given(st.text(alphabet="0123456789.,-$ ax\N{MINUS SIGN}_\n"))
def test_spans_point_at_the_number_and_never_overlap(text):
    """A numeral's text is what stands at its place, and places are in order."""
    end = 0
    for found in stated_numbers(text):
        assert text[found.start : found.end] == found.text
        assert end <= found.start < found.end
        end = found.end


@given(st.integers(min_value=-(10**12), max_value=10**12))
def test_every_integer_is_found_as_written_with_and_without_separators(number):
    """Python's own renderings, plain and grouped, are one number with one key."""
    assert keys(f"we saw {number} there") == [str(number)]
    assert keys(f"we saw {number:,} there") == [str(number)]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, max_value=10**9))
def test_a_fraction_is_part_of_its_number(number):
    """A decimal is one number, whole ones lose their zeros."""
    text = f"{number:f}"
    (key,) = keys(f"about {text} kg")
    assert key == canonical_number(text)
    assert float(key) == float(number)
    assert ("." in key) == (number != int(number))


@given(st.text())
def test_any_text_can_be_read(text):
    """No text makes the reader fail, and every key begins with a sign or a digit."""
    assert all(found.key.lstrip("-")[0].isdigit() for found in stated_numbers(text))


def test_identifiers_are_told_from_ranges_dates_and_measures(subtests):
    """Letters make a hyphenated name an identifier, unless they only name a unit."""
    for text, named in [
        ("ORD-1001", "ORD-1001"),
        ("see ACC-LSPN-001 there", "ACC-LSPN-001"),
        ("1001-A", "1001-A"),
        ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
        ("GPT-3.5 turbo", "GPT-3.5"),
        ("a-1 b 2 c-3", "a-1\nc-3"),
        ("10-20", ""),
        ("2026-05-01", ""),
        ("a 10-day wait", ""),
        ("5-10-minute walk", ""),
        ("B003", ""),
        ("-5", ""),
    ]:
        with subtests.test(text=text, named=named):
            outside, identifiers = split_identifiers(text)
            assert identifiers == named
            assert len(outside) == len(text)
            assert not any(name in outside for name in named.split("\n") if name)


@given(st.text(alphabet="ab1-_. 2"))
def test_what_is_no_identifier_stays_where_it_was(text):
    """Hiding identifiers changes nothing else."""
    outside, _ = split_identifiers(text)
    assert len(outside) == len(text)
    assert all(new in {old, "x"} for old, new in zip(text, outside, strict=True))


def test_long_adversarial_texts_are_read_in_one_pass():
    """Texts that make naive patterns backtrack are read like any other."""
    assert keys("1-" * 50_000) == ["1"] * 50_000
    assert len(keys("9" * 200_000)) == 1
    assert split_identifiers("a" * 200_000)[1] == ""
    assert keys("1." * 100_000 + "1x") == []
