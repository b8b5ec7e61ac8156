"""What a sweep is about, for its fingerprint."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from wt_git import __version__
from wt_git.evidence.fingerprint import Fingerprinter, Subject, readable_repository
from wt_git.evidence.targets import target_of
from wt_git.records.fingerprint import PACK_SOURCE
from wt_git.records.store import RunsDir
from wt_git.sweep.loading import describe, source_file

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.sweep.plugins import Runtime
    from wt_git.sweep.request import SweepRequest


def fingerprinter_of(
    request: SweepRequest, runtime: Runtime, folder: Path, not_under_test: tuple[str, ...]
) -> Fingerprinter:
    """Return what takes the fingerprint of `request`, looking for a repository from `folder`."""
    repository = readable_repository(folder)
    top = repository.top.resolve() if repository else None
    named = [
        target_of(identity, request.runtime, runtime.raw_key)
        for identity in (runtime.identity(top), *runtime.other_identities(top))
    ]
    return Fingerprinter(
        Subject(
            folder=folder,
            runs_dir=request.runs_dir,
            runtime=request.runtime,
            target=named[0],
            other_targets=tuple(named[1:]),
            model=runtime.model,
            wt_version=__version__,
            soul=request.soul,
            agents=request.agents,
            plugin=lambda: _own_fingerprint(runtime, request.runtime),
            outputs=partial(RunsDir(request.runs_dir).registered_outputs, top),
            sources=_sources(request, runtime),
            not_under_test=not_under_test,
        ),
        repository,
    )


def _own_fingerprint(runtime: Runtime, name: str) -> str | None:
    """Return what the plugin says its agent is; None without a word. Raises what the plugin does.

    An exit in it becomes a `RuntimeError`, since no plugin may end the sweep here.
    """
    try:
        ask = getattr(runtime.plugin, "artifact_fingerprint", None)
        said = None if ask is None else ask(name)
        return None if said is None else str(said)
    except SystemExit as error:
        raise RuntimeError(describe(error)) from error


def _sources(request: SweepRequest, runtime: Runtime) -> dict[str, Path]:
    """Return the files that decide the sweep and that somebody named by path."""
    named = {
        "soul": request.soul,
        "agents": request.agents,
        "runtime": None if runtime.is_builtin else runtime.file,
        **{f"{PACK_SOURCE}{spec}": source_file(spec) for spec in request.pack_sources},
    }
    return {name: path for name, path in named.items() if path is not None}
