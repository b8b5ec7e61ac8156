"""Which definition a saved trace is judged by, when all that it names is a scenario."""

from __future__ import annotations

import pytest

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario
from wt_git.errors import UsageError
from wt_git.plugins.packs import Discovered
from wt_git.sweep.selection import Definitions, Selectors


def pack(name: str, *scenarios: str) -> ScenarioPack:
    return ScenarioPack(name=name, scenarios=[Scenario(name=one, prompt="x") for one in scenarios])


def found(*packs: ScenarioPack, sourced: tuple[str, ...] = ()) -> Discovered:
    return Discovered(list(packs), sourced)


def owner(definitions: Definitions, name: str) -> str | None:
    definition = definitions.of(name)
    return None if definition is None else definition.pack.name


def test_a_sourced_definition_stands_before_another_of_its_name():
    """Its author is working on it; the built-in is what it was copied from."""
    packs = found(pack("built_in", "a", "b"), pack("mine", "a"), sourced=("mine",))
    definitions = Definitions(packs, Selectors())
    definitions.check_unambiguous()
    assert (owner(definitions, "a"), owner(definitions, "b")) == ("mine", "built_in")


def test_whoever_asks_for_a_pack_gets_that_pack():
    """Naming it is clearer than having brought another one along."""
    packs = found(pack("built_in", "a"), pack("mine", "a"), sourced=("mine",))
    assert owner(Definitions(packs, Selectors(packs=("built_in",))), "a") == "built_in"
    both = Definitions(packs, Selectors(packs=("built_in", "mine")))
    with pytest.raises(UsageError, match="ambiguous"):
        both.check_unambiguous()


def test_a_name_of_two_packs_is_refused_and_the_packs_are_named():
    """Nothing in a trace says of which pack it is."""
    definitions = Definitions(found(pack("one", "a", "b"), pack("two", "a")), Selectors())
    with pytest.raises(UsageError, match=r"ambiguous: .*'a' of 'one', 'two'") as refused:
        definitions.check_unambiguous()
    assert refused.value.facts == {"packs": {"a": ["one", "two"]}}
    assert refused.value.hints == ("choose one: --pack one or --pack two",)
    with pytest.raises(UsageError, match="ambiguous"):
        definitions.of("a")
    assert owner(definitions, "b") == "one"


def test_two_sourced_packs_of_one_name_are_ambiguous_too():
    """Neither of them is more the author's than the other."""
    packs = found(pack("x", "a"), pack("y", "a"), sourced=("x", "y"))
    with pytest.raises(UsageError, match="ambiguous"):
        Definitions(packs, Selectors()).check_unambiguous()


def test_what_is_filtered_out_is_known_all_the_same():
    """A trace of it is none of today's business, while one of an unknown scenario is a problem."""
    definitions = Definitions(found(pack("one", "a"), pack("two", "b")), Selectors(packs=("one",)))
    assert (owner(definitions, "b"), definitions.is_known("b")) == (None, True)
    assert (owner(definitions, "c"), definitions.is_known("c")) == (None, False)
    assert not definitions.is_empty
    assert Definitions(found(pack("one", "a")), Selectors(tags=("no",))).is_empty
