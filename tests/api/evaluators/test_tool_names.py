"""Names of tools and groups of facts."""

from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.tool_calls import alternatives, tool_name_matches

names = st.text(alphabet="abc_.", min_size=1, max_size=8)


def test_a_platform_prefix_does_not_hide_a_tool(subtests):
    """A prefix joined by an underscore or a dot still names the tool."""
    for full in [
        "client_lookup",
        "mcp_acme_ops_client_lookup",
        "ops.client_lookup",
        "ops:client_lookup",
        "ops/client_lookup",
        "ops-client_lookup",
        "mcp__ops__client_lookup",
        "x_client_lookup",
    ]:
        with subtests.test(full=full):
            assert tool_name_matches("client_lookup", full)


def test_other_names_are_other_tools(subtests):
    """Only one of `_.:/-` joins a prefix, case counts, and no name at all is no tool."""
    for canonical, full in [
        ("ookup", "client_lookup"),
        ("mcp_acme_ops_client_lookup", "client_lookup"),
        ("client_lookup", "ops client_lookup"),
        ("client_lookup", "opsclient_lookup"),
        ("client_lookup", "Client_Lookup"),
        ("client_lookup", "client_lookup_v2"),
        ("client_lookup", ""),
        ("", "client_"),
        ("", "client."),
    ]:
        with subtests.test(canonical=canonical, full=full):
            assert not tool_name_matches(canonical, full)


def test_the_last_part_of_a_bare_name_also_matches():
    """`client_lookup` reads as `lookup` with a prefix, which is why bare names are written whole."""
    assert tool_name_matches("lookup", "client_lookup")


@given(canonical=names, prefix=st.text(max_size=8), joint=st.sampled_from("_."))
def test_any_prefix_may_be_joined(canonical, prefix, joint):
    """Whatever stands before the joint, the tool is the same."""
    assert tool_name_matches(canonical, f"{prefix}{joint}{canonical}")


@given(canonical=names, full=st.text(alphabet="abc_.", max_size=12))
def test_a_match_is_the_name_itself_or_ends_in_it_after_a_joint(canonical, full):
    """Nothing matches that does not end in the whole name after a joint, or equal it."""
    ends = full.endswith(canonical) and full[: -len(canonical)][-1:] in {"", "_", "."}
    assert tool_name_matches(canonical, full) == ends


def test_lists_and_tuples_name_alternatives(subtests):
    """A string is one tool, a list or tuple a choice of several."""
    for entry, expected in [
        ("a", ("a",)),
        (["a", "b"], ("a", "b")),
        (("a", "b"), ("a", "b")),
        ([], ()),
    ]:
        with subtests.test(entry=entry, expected=expected):
            assert alternatives(entry) == expected
