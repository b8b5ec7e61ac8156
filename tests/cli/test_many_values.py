"""Options that take several words: the same as if they had been repeated."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.cli.options import ManyValues, ManyValuesCommand, repeated

NAMES = {"--trace"}
WORDS = st.sampled_from(["a", "b c", "-", "x.json", "*"])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--trace a b --write", "--trace a --trace b --write"),
        ("--write --trace a b", "--write --trace a --trace b"),
        ("--trace a --trace b", "--trace a --trace b"),
        ("--trace a b --trace c", "--trace a --trace b --trace c"),
        ("--trace a - b", "--trace a --trace - --trace b"),
        ("--trace a -h", "--trace a -h"),
        ("--label a b", "--label a b"),
        ("--trace=a b", "--trace=a b"),
        ("--trace", "--trace"),
        ("--trace --odd b", "--trace --odd --trace b"),
        ("--trace a -- b c", "--trace a -- b c"),
        ("-- --trace a b", "-- --trace a b"),
        ("", ""),
    ],
)
def test_each_further_word_is_a_value_of_its_own(typed: str, meant: str) -> None:
    """Up to the next option; the first word may be anything, as for any option."""
    assert list(repeated(typed.split(), NAMES)) == meant.split()


@given(st.lists(WORDS, min_size=1), st.lists(st.sampled_from(["--write", "--label=x"])))
def test_the_values_arrive_in_order(values: list[str], others: list[str]) -> None:
    """Whatever stands before and after them."""
    found: dict[str, object] = {}

    @click.command(cls=ManyValuesCommand)
    @click.option("--trace", cls=ManyValues, multiple=True)
    @click.option("--write", is_flag=True)
    @click.option("--label")
    def command(**options: object) -> None:
        found.update(options)

    for arguments in ([*others, "--trace", *values], ["--trace", *values, *others]):
        with command.make_context("x", list(arguments)) as context:
            command.invoke(context)
        assert found["trace"] == tuple(values)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["a", "b c"], "Got unexpected extra arguments (a b c); did you mean --trace a 'b c'?"),
        (["a", "--write"], "Got unexpected extra argument (a); did you mean --trace a?"),
        (["a", "--trace", "b"], "Got unexpected extra argument (a)"),
    ],
)
def test_words_of_no_option_are_refused_with_the_one_they_may_be_meant_for(
    typed: list[str], said: str
) -> None:
    """Unless that option has its values."""

    @click.command(cls=ManyValuesCommand)
    @click.option("--trace", cls=ManyValues, multiple=True)
    @click.option("--write", is_flag=True)
    def command(**_: object) -> None:
        pass

    with pytest.raises(click.UsageError) as refused:
        command.make_context("x", typed)
    assert refused.value.message == said
