"""Installing the skill: what is put there, and what is left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wt_git.cli.commands.skill import install_skill, packaged_skill
from wt_git.errors import StorageError

DEST = Path("agents/skills")
ENTRY = DEST / "windtunnel"


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def nothing_else():
    """No temporary folder stays behind."""
    return [path.name for path in DEST.iterdir()] == ["windtunnel"]


def test_a_link_leads_to_the_packaged_folder():
    """The folder for it is made, and where the link leads is returned."""
    assert install_skill(DEST, copy=False) == packaged_skill()
    assert ENTRY.is_symlink()
    assert (ENTRY / "SKILL.md").read_text().startswith("---\nname: windtunnel\n")
    assert nothing_else()


@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("target", ["elsewhere", "gone"])
def test_a_link_is_replaced_and_what_it_led_to_is_not(copy, target):
    """Whoever's it was, also when it leads nowhere."""
    elsewhere = Path("elsewhere")
    elsewhere.mkdir()
    (elsewhere / "SKILL.md").write_text("mine")
    DEST.mkdir(parents=True)
    ENTRY.symlink_to(Path(target).resolve())
    install_skill(DEST, copy=copy)
    assert ENTRY.is_symlink() != copy
    assert names(ENTRY.resolve()) == names(packaged_skill())
    assert names(elsewhere) == ["SKILL.md"]
    assert nothing_else()


def test_a_copy_stands_alone_and_is_replaced_by_a_copy():
    """With all files, and without what an older one had."""
    assert install_skill(DEST, copy=True) == ENTRY.resolve()
    assert not ENTRY.is_symlink()
    for name in names(packaged_skill()):
        if (packaged_skill() / name).is_file():
            assert (ENTRY / name).read_bytes() == (packaged_skill() / name).read_bytes()
    (ENTRY / "old.md").touch()
    (ENTRY / "SKILL.md").write_text("---\r\nlicense: x\r\nname: 'windtunnel'\r\n---\r\nolder")
    install_skill(DEST, copy=True)
    assert names(ENTRY) == names(packaged_skill())
    assert nothing_else()


def test_a_copy_is_not_replaced_by_a_link():
    """It was made to be committed; the command that replaces it is named."""
    install_skill(DEST, copy=True)
    with pytest.raises(StorageError, match="refusing to overwrite") as refused:
        install_skill(DEST, copy=False)
    assert refused.value.commands == ("wt skill install --copy --dest agents/skills",)
    assert names(ENTRY) == names(packaged_skill())


FOREIGN = {
    "a file": lambda: ENTRY.write_text("mine"),
    "an empty folder": ENTRY.mkdir,
    "a folder with work": lambda: made("notes.md", "mine"),
    "another skill": lambda: made("SKILL.md", "---\nname: windtunnels\n---\n"),
    "a skill that mentions it": lambda: made("SKILL.md", "---\nname: x\n---\nname: windtunnel\n"),
    "a skill without a beginning": lambda: made("SKILL.md", "name: windtunnel\n"),
    "no text": lambda: (ENTRY.mkdir(), (ENTRY / "SKILL.md").write_bytes(b"---\nname: \xff")),
}


def made(name, text):
    ENTRY.mkdir()
    (ENTRY / name).write_text(text)


@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("what", FOREIGN)
def test_what_somebody_else_made_is_left_alone(what, copy):
    """Nothing is deleted that cannot be made again."""
    DEST.mkdir(parents=True)
    FOREIGN[what]()
    before = [(path, path.read_bytes()) for path in DEST.rglob("*") if path.is_file()]
    with pytest.raises(StorageError, match="refusing to overwrite") as refused:
        install_skill(DEST, copy=copy)
    assert refused.value.specific_code == "skill-not-ours"
    assert [(path, path.read_bytes()) for path in DEST.rglob("*") if path.is_file()] == before
    assert nothing_else()


def test_a_place_that_cannot_be_used_is_said():
    """A file where a folder should be."""
    Path("agents").write_text("mine")
    with pytest.raises(
        StorageError, match="cannot install the skill as 'agents/skills/windtunnel'"
    ):
        install_skill(DEST, copy=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_said():
    """And nothing is half there."""
    DEST.mkdir(parents=True)
    DEST.chmod(0o500)
    with pytest.raises(StorageError, match="Permission denied"):
        install_skill(DEST, copy=False)
    DEST.chmod(0o700)
    assert not list(DEST.iterdir())
