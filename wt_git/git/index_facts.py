"""What an index says beside its paths: flags, submodules, links, and how it is stored.

All of it follows from the index file alone, so it is found once for each state of that file.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from wt_git.git.index_format import extension_names

if TYPE_CHECKING:
    from collections.abc import Sequence

# `git ls-files -v -s -z`: `<tag> <mode> <id> <stage>\t<path>\0`, lower-case tags for
# assume-unchanged, S for skip-worktree.
LISTING_ARGS = ("ls-files", "-v", "-s", "-z")
_MARKS = (b"\0S ", b"\0s ", b"\0h ", b" 120000 ", b" 160000 ", b".gitattributes\0")
_SHARED = b"link"
_SPARSE = b"sdir"


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """Paths with something special about them; each is a str made by `os.fsdecode`.

    `attributes` pairs each tracked `.gitattributes` with its id; `suffixed` are the paths with one
    of the suffixes that were asked for.
    """

    split: bool = False
    sparse: bool = False
    assumed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    gitlinks: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    suffixed: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return a value for `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: object) -> Self | None:
        """Return the facts in `value`; None when it was not made by `to_json`."""
        if not isinstance(value, dict) or set(value) != set(cls.__slots__):
            return None
        made: dict[str, Any] = {
            name: part if isinstance(part, bool) else tuple(_frozen(one) for one in part)
            for name, part in value.items()
        }
        return cls(**made)


def _frozen(one: object) -> object:
    return tuple(one) if isinstance(one, list) else one


def read_facts(
    listing: bytes, raw: bytes, suffixes: Sequence[str], *, hash_bytes: int
) -> IndexFacts:
    """Return the facts of an index: `listing` is git's for `LISTING_ARGS`, `raw` the file itself."""
    found = storage_extensions(raw, hash_bytes)
    kinds: dict[str, list[str]] = {name: [] for name in ("assumed", "skipped", "gitlinks", "links")}
    attributes: list[tuple[str, str]] = []
    ends = tuple(suffix.encode("utf-8") for suffix in suffixes)
    suffixed: list[str] = []
    # Most indexes hold none of this: a few searches in C tell, and no entry is looked at.
    marks = (*_MARKS, *(end + b"\0" for end in ends))
    if any(mark in b"\0" + listing for mark in marks):
        for item in listing.split(b"\0")[:-1]:
            head, _, name = item.partition(b"\t")
            path = name.decode("utf-8", "surrogateescape")
            for kind in _kinds(head):
                kinds[kind].append(path)
            if name.rpartition(b"/")[2] == b".gitattributes":
                attributes.append((path, head.split(b" ")[2].decode("ascii")))
            if ends and name.endswith(ends):
                suffixed.append(path)
    return IndexFacts(
        split=_SHARED in found,
        sparse=_SPARSE in found,
        attributes=tuple(attributes),
        suffixed=tuple(suffixed),
        **{name: tuple(paths) for name, paths in kinds.items()},
    )


def _kinds(head: bytes) -> list[str]:
    tag, mode = head[:1], head[2:8]
    kinds = []
    if tag in b"Ss":
        kinds.append("skipped")
    elif tag.islower():
        kinds.append("assumed")
    if mode == b"160000":
        kinds.append("gitlinks")
    elif mode == b"120000":
        kinds.append("links")
    return kinds


def storage_extensions(raw: bytes, hash_bytes: int) -> set[bytes]:
    """Return which of the extensions `link` (split index) and `sdir` (sparse) an index file has."""
    # A search in C, which may find a file's name, saves the walk over all entries almost always.
    if _SHARED not in raw and _SPARSE not in raw:
        return set()
    return extension_names(raw, hash_bytes) & {_SHARED, _SPARSE}
