"""Looking up everything that a sweep names: each refusal exits with 2.

The order is that of docs/architecture.md, "A sweep, step by step". `admit` decides whether the
sweep may run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from wt_git import __version__
from wt_git.api.scenario import is_vacuous
from wt_git.errors import UsageError
from wt_git.evidence.fingerprint.fingerprinter import (
    Fingerprinter,
    FingerprintInputs,
    readable_repository,
)
from wt_git.evidence.fingerprint.targets import target_of
from wt_git.evidence.written_paths import check_runs_dir
from wt_git.ladder.ceiling import resolve_ceiling
from wt_git.ladder.tiers import check_model, sweep_budget_s, tier_of
from wt_git.plugins.loading import describe, source_file
from wt_git.plugins.packs import discover_packs
from wt_git.plugins.runtimes import find_plugin, resolve_hooks, resolve_runtime
from wt_git.records.fingerprint import PACK_SOURCE
from wt_git.records.runs_dir import RunsDir
from wt_git.sweep.request import LookedUp, agent_config, agents_file, soul_text
from wt_git.sweep.selection import select
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wt_git.config import Settings
    from wt_git.plugins.packs import Discovered
    from wt_git.plugins.runtimes import Runtime
    from wt_git.sweep.probe import Probe
    from wt_git.sweep.request import SweepRequest
    from wt_git.sweep.selection import Selected, Selectors


def fingerprinter_of(
    request: SweepRequest, runtime: Runtime, folder: Path, not_under_test: tuple[str, ...]
) -> Fingerprinter:
    """Return the fingerprinter of `request`; the repository is looked for from `folder`."""
    repository = readable_repository(folder)
    top = repository.top.resolve() if repository else None
    named = [
        target_of(identity, request.runtime, runtime.raw_key)
        for identity in (runtime.identity(top), *runtime.other_identities(top))
    ]
    return Fingerprinter(
        FingerprintInputs(
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
    """Return the plugin's `artifact_fingerprint`; None without one. Raises what the plugin raises.

    An exit in it becomes a `RuntimeError`, since no plugin may end the sweep here.
    """
    try:
        ask = getattr(runtime.plugin, "artifact_fingerprint", None)
        said = None if ask is None else ask(name)
        return None if said is None else str(said)
    except SystemExit as error:
        raise RuntimeError(describe(error)) from error


def _sources(request: SweepRequest, runtime: Runtime) -> dict[str, Path]:
    """Return the files that decide the sweep and were named by path."""
    named = {
        "soul": request.soul,
        "agents": request.agents,
        "runtime": None if runtime.is_builtin else runtime.file,
        **{f"{PACK_SOURCE}{spec}": source_file(spec) for spec in request.pack_sources},
    }
    return {name: path for name, path in named.items() if path is not None}


def look_up(
    request: SweepRequest,
    *,
    folder: Path,
    load_settings: Callable[[], Settings],
    say: Callable[[str], None],
) -> LookedUp:
    """Resolve everything that `request` names. Builds no runtime and writes no file.

    `folder` is where the repository is looked for; `say` receives sentences for people. Raises
    `UsageError` or `LoadError` for the first thing that is wrong.
    """
    hooks = resolve_hooks(request.hooks)
    probe = _probe(request)
    plugin = find_plugin(request.runtime, say)
    selected = _selected(request, probe, discover_packs(request.pack_sources), say)
    soul, agents = soul_text(request), agents_file(request)
    for warning in _vacuous_warnings(selected):
        say(warning)
    settings, tier = load_settings(), tier_of(len(selected), is_probe=probe is not None)
    budget_s = sweep_budget_s(tier, request.budget_s, settings.ladder)
    runtime = resolve_runtime(plugin, say)
    check_model(tier, runtime.model, settings.ladder)
    ceiling = resolve_ceiling(request.max_cost, settings.ladder)
    fingerprinter = fingerprinter_of(request, runtime, folder, settings.gate.not_under_test)
    check_runs_dir(fingerprinter)
    return LookedUp(
        request=request,
        settings=settings,
        hooks=hooks,
        runtime=runtime,
        selected=selected,
        tier=tier,
        config=agent_config(request, runtime, soul, agents),
        budget_s=budget_s,
        ceiling=ceiling,
        fingerprinter=fingerprinter,
        history_prefix=probe.prefix if probe is not None else None,
    )


def _probe(request: SweepRequest) -> Probe | None:
    if request.from_trace is None:
        if request.from_turn is None:
            return None
        raise UsageError(
            "--from-turn requires --from-trace: it counts the user turns of a saved trace",
            code="from-turn-alone",
            facts={"from_turn": request.from_turn},
        )
    from wt_git.sweep.probe import load_probe  # noqa: PLC0415 - for probes only

    return load_probe(request.from_trace, request.from_turn)


def _selected(
    request: SweepRequest, probe: Probe | None, found: Discovered, say: Callable[[str], None]
) -> list[Selected]:
    selectors = _effective_selectors(request, found, say)
    if probe is None:
        return select(found.packs, selectors)
    from wt_git.sweep.probe import probe_selectors, select_probed  # noqa: PLC0415

    return select_probed(found.packs, probe_selectors(selectors, probe.trace), probe)


def _effective_selectors(
    request: SweepRequest, found: Discovered, say: Callable[[str], None]
) -> Selectors:
    """Limit the run to the packs of `--pack-source`: their author works on them."""
    asked = request.selectors
    if not found.sourced or asked.packs or request.all_packs:
        return asked
    say(
        f"running only {', '.join(map(one_line, found.sourced))} (from --pack-source); "
        "--all-packs runs every pack"
    )
    return msgspec.structs.replace(asked, packs=found.sourced)


def _vacuous_warnings(selected: list[Selected]) -> list[str]:
    return [
        f"warning: scenario '{one_line(item.scenario.name)}' checks nothing: it passes whatever "
        "the agent answers; give it target_facts, must_call, a policy or an outcome_fn"
        for item in selected
        if is_vacuous(item.scenario)
    ]
