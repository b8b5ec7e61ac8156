"""Resolving `--runtime`, and what a plugin says about itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.commands import write_plugin

from wt_git.errors import LoadError
from wt_git.plugins.runtimes import Runtime, find_plugin, resolve_runtime


def _resolve(name: str) -> tuple[Runtime, list[str]]:
    said: list[str] = []
    return resolve_runtime(find_plugin(name, said.append), said.append), said


def test_a_plugin_that_says_nothing_gets_the_careful_defaults() -> None:
    """One job at a time, locked under the runtime's name, no model known."""
    Path("bare.py").write_text("class Bare:\n    def build(self, *a): ...\n")
    runtime, said = _resolve("bare.py:Bare")
    assert (runtime.limit, runtime.lock_key, runtime.model) == (1, "bare.py:Bare", None)
    assert runtime.file == Path("bare.py").resolve()
    assert not said


def test_a_plugin_answers_for_the_name_that_was_asked() -> None:
    """One plugin may stand behind several names."""
    name = write_plugin(
        max_concurrency="3",
        more="def lock_key(self, name): return f'{name}:default'\n"
        "    def model_label(self, name): return 5\n",
    )
    runtime, _ = _resolve(name)
    assert (runtime.limit, runtime.model) == (3, "5")
    assert runtime.lock_key == f"{name}:default"


@pytest.mark.parametrize(
    "url", ["http://localhost:8647/", "HTTP://127.0.0.1:8647", "http://[::1]:8647"]
)
def test_one_address_is_one_lock_however_it_is_spelt(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sweeps against one endpoint must queue."""
    monkeypatch.setenv("WT_INJECT_URL", url)
    runtime, _ = _resolve("http_inject")
    assert runtime.lock_key == "http://127.0.0.1:8647"


def test_in_memory_is_never_locked() -> None:
    """It declares that any number may run at once."""
    assert _resolve("in_memory")[0].limit is None


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("class P:\n    def __init__(self): raise OSError('no backend')\n", "OSError: no backend"),
        ("class P:\n    def __init__(self, needed): ...\n", "TypeError"),
        ("P = 5\n", "it is a int without a build("),
        ("P = None\n", "without a build("),
    ],
)
def test_what_is_no_plugin_is_named_with_what_was_expected(text: str, token: str) -> None:
    """Also a class that cannot be created."""
    Path("p.py").write_text(text)
    with pytest.raises(LoadError, match="could not load runtime plugin") as refused:
        _resolve("p.py:P")
    assert token in refused.value.message
