"""Grading frozen observations."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant, json_values

from wt_git.api.scorers import observation
from wt_git.api.scorers.observation import PathError, parse_path, walk

WORLD = {
    "client": {"email": "ops@x.example"},
    "prs": [{"base": "main"}],
    "m": [[{"b": 0}, {"b": 7}]],
    "7": "digits",
}


def look(path, predicate=lambda _: True, world=WORLD, source="world"):
    trace = a_trace(assistant(), observations={"world": world})
    return observation(source, path, predicate, "label")(trace)


def seen(path, world=WORLD):
    found = []
    assert look(path, lambda value: found.append(value) or True, world).passed
    return found[0]


def test_paths_lead_into_the_observation(subtests):
    """Keys, bracketed indexes, bare indexes, and text right after a bracket."""
    for path, value in [
        ("client.email", "ops@x.example"),
        ("prs[0].base", "main"),
        ("prs.0.base", "main"),
        ("prs[0]base", "main"),
        ("prs[000].base", "main"),
        ("m[0][1].b", 7),
        ("m.0.1.b", 7),
        ("", WORLD),
    ]:
        with subtests.test(path=path, value=value):
            assert seen(path) == value


def test_a_source_may_be_a_list():
    """A path may begin with an index."""
    assert seen("[0]", ["first"]) == "first"
    assert seen("0", ("first",)) == "first"


def test_a_path_that_is_malformed_or_leads_nowhere_fails(subtests):
    """Never an exception; a key of digits is an index, so such keys cannot be reached."""
    for path in [
        "a..b",
        ".a",
        "a.",
        ".",
        "a[",
        "a[x]",
        "a[-1]",
        "a[]",
        "a]b",
        "a['b']",
        "a[0",
        "a[0]]",
        "a[ 0]",
        "a[\N{SUPERSCRIPT TWO}]",
        "a[\N{ARABIC-INDIC DIGIT THREE}]",
        "prs[" + "9" * 5000 + "]",
        "prs." + "9" * 5000,
        "absent",
        "prs[1]",
        "prs.base",
        "client[0]",
        "client.email.0",
        "7",
        "\N{SUPERSCRIPT TWO}",
        None,
        7,
    ]:
        with subtests.test(path=path):
            result = look(path)
            assert not result.passed
            assert result.detail.startswith("label: missing path")


def test_a_source_that_was_not_observed_fails(subtests):
    """Missing evidence is a diagnosis, not a pass and not a crash."""
    for observations in [{}, None, {"other": 1}]:
        with subtests.test(observations=observations):
            trace = a_trace(assistant(), observations=observations)
            result = observation("world", "a", lambda _: True, "label")(trace)
            assert not result.passed
            assert result.detail.startswith("label: missing observation source 'world'")


def raising(value):
    raise KeyError("k")


class Odd:
    """A value whose truth cannot be asked."""

    def __bool__(self):
        raise ValueError("ambiguous")


@pytest.mark.parametrize(("predicate", "said"), [(raising, "'k'"), (lambda _: Odd(), "ambiguous")])
def test_a_predicate_that_breaks_fails(predicate, said):
    """The detail says what it raised."""
    result = look("client", predicate)
    assert not result.passed
    assert result.detail.startswith("label: predicate error")
    assert said in result.detail


def test_a_falsy_predicate_fails_and_shows_the_value():
    """The value is cut after 200 characters."""
    result = look("client", lambda _: 0)
    assert result.detail == 'label: predicate failed for {"email": "ops@x.example"}'
    long = look("t", lambda _: None, {"t": "z" * 500})
    assert long.detail.endswith("z...")
    assert long.detail.count("z") == 199


def test_a_truthy_predicate_passes_under_the_label():
    """Any truthy answer will do."""
    result = look("prs[0].base", lambda value: value == "main" and "yes")
    assert result.passed
    assert result.detail.startswith("label")


@given(path=st.text() | st.text(alphabet="a.[]0-9\N{SUPERSCRIPT TWO} '"), world=json_values())
def test_no_path_raises(path, world):
    """Whatever the path and the world, there is a result under the label."""
    assert look(path, lambda _: False, world).detail.startswith("label: ")


def routes(value, path=""):
    """Every path into `value` that can be written, with where it leads."""
    yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from routes(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from routes(inner, f"{path}[{index}]")


keys = st.text(alphabet="ab c\N{LATIN SMALL LETTER E WITH ACUTE}-", min_size=1, max_size=3)
worlds = st.recursive(
    st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@given(worlds)
def test_every_place_in_the_world_has_a_path_that_leads_there(world):
    """Paths written from the structure reach exactly what stands there."""
    for path, value in routes(world):
        reached = walk(world, parse_path(path))
        assert json.dumps(reached) == json.dumps(value)


def test_a_path_error_names_the_step():
    """Authors see where the path left the world."""
    with pytest.raises(PathError, match="index 1 is beyond a list of 1"):
        walk(WORLD, parse_path("prs[1].base"))
    with pytest.raises(PathError, match="'base' needs an object, found list"):
        walk(WORLD, parse_path("prs.base"))
