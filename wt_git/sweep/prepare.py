"""The checks before a sweep; each refusal is exit 2.

The order is that of docs/architecture.md, "A sweep, step by step".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.scenario import is_vacuous
from wt_git.config import Settings
from wt_git.errors import UsageError
from wt_git.ladder.tiers import tier_of
from wt_git.spi.agent_runtime import AgentConfig, ModelSpec
from wt_git.sweep.hooks import resolve_hooks
from wt_git.sweep.packs import discover
from wt_git.sweep.plugins import find_plugin, resolve
from wt_git.sweep.request import Prepared
from wt_git.sweep.schedulers import plan
from wt_git.sweep.selection import Selectors, select
from wt_git.sweep.subject import fingerprinter_of
from wt_git.text import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.sweep.packs import Discovered
    from wt_git.sweep.plugins import Runtime
    from wt_git.sweep.request import SweepRequest
    from wt_git.sweep.selection import Selected


DEFAULTS = Settings()


def prepare(request: SweepRequest, *, folder: Path, settings: Settings = DEFAULTS) -> Prepared:
    """Resolve everything that `request` names. Builds no runtime and writes no file.

    `folder` is where the repository is looked for. Raises `UsageError` or `LoadError` for the first thing that is wrong.
    """
    notices: list[str] = []
    hooks = resolve_hooks(request.hooks)
    plugin = find_plugin(request.runtime, notices.append)
    found = discover(request.pack_sources)
    selected = select(found.packs, _effective_selectors(request, found, notices))
    soul, agents = _soul(request), _file(request.agents, "--agents")
    notices += _vacuous(selected)
    runtime = resolve(plugin, notices.append)
    scheduling = plan(
        request.scheduler,
        request.max_concurrency,
        limit=runtime.limit,
        hooks_active=bool(hooks),
    )
    fingerprinter = fingerprinter_of(request, runtime, folder, settings.gate.not_under_test)
    fingerprinter.check_runs_dir()
    fingerprint = fingerprinter.take()
    notices += [f"note: {note}" for note in fingerprint.notes]
    return Prepared(
        request=request,
        hooks=hooks,
        runtime=runtime,
        selected=selected,
        tier=tier_of(len(selected)),
        config=_agent_config(request, runtime, soul, agents),
        plan=scheduling,
        fingerprinter=fingerprinter,
        fingerprint=fingerprint,
        notes_ref=settings.notes_ref,
        notices=(*notices, *scheduling.notices),
    )


def _effective_selectors(request: SweepRequest, found: Discovered, notices: list[str]) -> Selectors:
    """Limit the run to the sources that were named: they are what their author works on."""
    asked = request.selectors
    if not found.sourced or asked.packs or request.all_packs:
        return asked
    notices.append(
        f"running only {', '.join(map(one_line, found.sourced))} (from --pack-source); "
        "--all-packs runs every pack"
    )
    return Selectors(
        scenarios=asked.scenarios, tags=asked.tags, packs=found.sourced, owners=asked.owners
    )


def _agent_config(
    request: SweepRequest, runtime: Runtime, soul: str | None, agents: Path | None
) -> AgentConfig:
    return AgentConfig(
        agent_id="wt-cli",
        variant_id=request.label,
        system_prompt=soul,
        persona_doc=agents,
        model=ModelSpec(runtime.model) if runtime.model else None,
    )


def _soul(request: SweepRequest) -> str | None:
    soul = _file(request.soul, "--soul")
    return _text(soul, "--soul") if soul else None


def _file(path: Path | None, option: str) -> Path | None:
    if path is None:
        return None
    try:
        if path.is_file():
            return path
        found = "it is a folder" if path.is_dir() else "there is no such file"
    except OSError as error:
        found = error.strerror or str(error)
    raise UsageError(f"{option} file not found: '{path}' ({found})", code="file-not-found")


def _text(path: Path, option: str) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{option} file '{path}' cannot be read as UTF-8 text: {error}", code="file-unreadable"
        ) from error


def _vacuous(selected: list[Selected]) -> list[str]:
    return [
        f"warning: scenario '{one_line(item.scenario.name)}' checks nothing: it passes whatever "
        "the agent answers; give it target_facts, must_call, a policy or an outcome_fn"
        for item in selected
        if is_vacuous(item.scenario)
    ]
