"""An index file is read as git writes it: every version, flag and extension."""

from __future__ import annotations

import pytest

from wt_git.git.snapshot.index_file import entry_positions, extension_names
from wt_git.git.trees import HASH_BYTES


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("version", [2, 3, 4])
def test_entries_and_extensions(repo, version, object_format):
    """Long names, extended flags, and names that look like extensions."""
    if object_format == "sha256":
        repo.git("init", "--quiet", "--object-format=sha256", "long")
        repo.path /= "long"
    long = "/".join(["folder" * 30] * 25)
    names = ["link", "d/sdir", "x", f"{long}/a", f"{long}/b"]
    blob = "1" * 2 * HASH_BYTES[object_format]
    for name in names:  # longer than a path on disk may be, and than its length's 12 bits
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    repo.git("update-index", "--index-version", str(version))
    if version > 2:
        repo.write({"later": ""})
        repo.git("add", "--intent-to-add", "later")
    raw = (repo.path / ".git/index").read_bytes()
    assert int.from_bytes(raw[4:8], "big") == version
    size = HASH_BYTES[object_format]
    listed = repo.git("ls-files", "--stage").splitlines()
    ids = [raw[at + 40 : at + 40 + size].hex() for at in entry_positions(raw, size)]
    assert ids == [line.split()[1] for line in listed]
    assert extension_names(raw, size) <= {b"TREE", b"EOIE", b"IEOT"}
    repo.git("update-index", "--split-index")
    assert b"link" in extension_names((repo.path / ".git/index").read_bytes(), size)


def test_an_empty_index(repo):
    """It has neither."""
    repo.git("read-tree", "--empty")
    raw = (repo.path / ".git/index").read_bytes()
    assert list(entry_positions(raw, 20)) == []
    assert extension_names(raw, 20) <= {b"TREE"}
