"""What kind of repository this is, hence who may hash its files: libgit2, or git itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from wt_git.git.git_config import GitConfig
    from wt_git.git.index_facts import IndexFacts
    from wt_git.git.repository import Repository

Method = Literal["libgit2", "git"]

# The extensions that libgit2 1.9 knows and gets right.
_KNOWN_EXTENSIONS = frozenset(
    {"noop", "objectformat", "preciousobjects", "relativeworktrees", "worktreeconfig"}
)


class Way(NamedTuple):
    """By which program a snapshot is taken; `reason` says why when it is not libgit2."""

    method: Method
    reason: str = ""


def way(repository: Repository, config: GitConfig, facts: IndexFacts) -> Way:
    """Return the way for a repository: libgit2, unless something about it is git's alone.

    Attributes of single files are looked at later, when it is known which files matter.
    """
    reason = (
        _storage(repository, config)
        or ("its index is split" if facts.split else "")
        or ("its index is sparse" if facts.sparse else "")
        or ("its checkout is sparse" if is_sparse(config) else "")
        or _safecrlf(config)
    )
    return Way("git", reason) if reason else Way("libgit2")


def is_sparse(config: GitConfig) -> bool:
    """Say whether only part of the files is checked out, and git leaves the others alone."""
    return config.flag("core.sparsecheckout", default=False)


def _storage(repository: Repository, config: GitConfig) -> str:
    if repository.object_format != "sha1":
        return f"its object format is {repository.object_format}"
    storage = config.get("extensions.refstorage")
    if storage not in {None, "files"}:
        return f"its refs are stored as {storage}"
    unknown = sorted(
        name
        for name in config.values
        if name.startswith("extensions.")
        and name.removeprefix("extensions.") not in {*_KNOWN_EXTENSIONS, "refstorage"}
    )
    return f"it uses {unknown[0]}" if unknown else ""


def _safecrlf(config: GitConfig) -> str:
    """Libgit2 refuses to hash what git, told to go on, hashes."""
    value = config.get("core.safecrlf")
    return "core.safecrlf is set" if value not in {None, "false", "warn"} else ""
