"""What a fingerprint makes of the plugin's own word."""

from __future__ import annotations

import pytest
from kit.fingerprints import a_fingerprinter
from msgspec.structs import replace

from wt_git.evidence.fingerprint.fingerprinter import Fingerprinter


class Mute(Exception):  # noqa: N818 - a plugin may name it as it likes
    """An exception that cannot say what it is about."""

    def __str__(self):
        raise ValueError("no words")


class Wordless:
    """A value that is no text and does not become one."""

    def __str__(self):
        raise Mute


def raises(error):
    def said():
        raise error

    return said


@pytest.mark.parametrize(
    ("plugin", "note"),
    [
        (raises(OSError("registry down")), "artifact_fingerprint() raised OSError: registry down"),
        (raises(OSError()), "artifact_fingerprint() raised OSError"),
        (raises(Mute()), "artifact_fingerprint() raised Mute"),
        (Wordless, "artifact_fingerprint() raised Mute"),
    ],
    ids=["a failure", "one without words", "one that cannot say its words", "no text"],
)
def test_whatever_a_plugin_does_is_a_note(tmp_path, plugin, note):
    """The part is null then, and the fingerprint is taken all the same."""
    subject = a_fingerprinter(folder=tmp_path).inputs
    taken = Fingerprinter(replace(subject, plugin=plugin)).take()
    assert taken.parts.plugin is None
    assert note in taken.notes
