"""Patterns for paths mean what git's glob pathspecs mean."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.repo import new_repo

from wt_git.git.path_patterns import PathPatterns

NAMES = ["a", "b", "A", "ab", "a.b", "-", "]", "docs", "x*y", "[a]", "é"]
PATHS = sorted(
    {
        "/".join(parts)
        for first in NAMES
        for parts in ([first + ".f"], [first, "b.f"], [first, "docs", "c"], [first, "a", "b", "ab"])
    }
)
PIECES = ["a", "b", "*", "?", "**", "/", "/**/", "[a-b]", "[!a]", "[]a]", "[a", "\\*", ".f", "docs"]
pieces = st.lists(
    st.sampled_from([*PIECES, "[[:alpha:]]", "[b-a]", "é", "-", "[", "]"]), max_size=6
)


@pytest.fixture(scope="module")
def listing(tmp_path_factory):
    """Answers with what git lists for a pattern, in a repository with all of PATHS."""
    repo = new_repo(tmp_path_factory.mktemp("patterns") / "repo")
    repo.write(dict.fromkeys(PATHS, ""))
    repo.git("add", ".")

    def listed(pattern: str) -> set[str] | None:
        done = subprocess.run(
            ["git", "ls-files", "-z", "--", f":(top,glob){pattern}"],
            check=False,
            cwd=repo.path,
            capture_output=True,
        )
        return set(done.stdout.decode().split("\0")) - {""} if done.returncode == 0 else None

    return listed


def ours(pattern: str) -> set[str]:
    patterns = PathPatterns([pattern])
    return {path for path in PATHS if patterns.match(path.encode())}


@given(pieces.map("".join))
def test_a_pattern_takes_what_git_takes(listing, pattern):
    """Every pattern that is a path from the top: stars, sets, classes, escapes, folders."""
    try:
        taken = ours(pattern)
    except ValueError:
        return
    if re.search(r"[^/]\*\*|\*\*[^/]", pattern):
        return  # git compares unrelated pointers there, and answers by chance
    if "//" in pattern or (expected := listing(pattern)) is None:
        return  # git tidies up the path before it reads the pattern
    assert taken == expected


@pytest.mark.parametrize(
    "pattern", ["docs", "docs/", "a/**", "**/docs/**", "**/*.f", "**/ab", "x\\*y/**", "a/*/b/ab"]
)
def test_the_patterns_that_people_write(listing, pattern):
    """Each takes something, and what git takes."""
    assert ours(pattern) == listing(pattern) != set()


@given(pieces.map("".join), st.sampled_from(PATHS))
def test_a_folder_is_passed_over_only_when_nothing_in_it_matches(pattern, path):
    """Looking into fewer folders never changes the answer."""
    try:
        patterns = PathPatterns([pattern])
    except ValueError:
        return
    if patterns.match(path.encode()):
        folders = [path[:at] for at, char in enumerate(path) if char == "/"]
        assert all(patterns.may_match_below(folder.encode()) for folder in folders)


@pytest.mark.parametrize("pattern", ["", "/", "/docs", "../x", "a/../b"])
def test_a_pattern_is_a_path_from_the_top(pattern):
    """Anything else would silently match nothing."""
    with pytest.raises(ValueError, match="not a path from the top"):
        PathPatterns([pattern])
