"""Looking up what a sweep is asked for; each refusal is exit 2.

Whether the sweep may run is `wt_git.sweep.admission`'s part. The order is that of
docs/architecture.md, "A sweep, step by step".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wt_git.api.scenario import is_vacuous
from wt_git.errors import UsageError
from wt_git.evidence.runs_place import check_runs_dir
from wt_git.ladder.budget import budget_of
from wt_git.ladder.ceiling import resolve_ceiling
from wt_git.ladder.model_policy import check_model
from wt_git.ladder.tiers import tier_of
from wt_git.sweep.agent_config import agent_config, agents_file, soul_text
from wt_git.sweep.hooks import resolve_hooks
from wt_git.sweep.packs import discover
from wt_git.sweep.plugins import find_plugin, resolve
from wt_git.sweep.request import LookedUp
from wt_git.sweep.selection import select
from wt_git.sweep.subject import fingerprinter_of
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wt_git.config import Settings
    from wt_git.sweep.packs import Discovered
    from wt_git.sweep.probe import Probe
    from wt_git.sweep.request import SweepRequest
    from wt_git.sweep.selection import Selected, Selectors


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
    selected = _selected(request, probe, discover(request.pack_sources), say)
    soul, agents = soul_text(request), agents_file(request)
    for warning in _vacuous(selected):
        say(warning)
    settings, tier = load_settings(), tier_of(len(selected), is_probe=probe is not None)
    budget_s = budget_of(tier, request.budget_s, settings.ladder)
    runtime = resolve(plugin, say)
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
    """Limit the run to the sources that were named: they are what their author works on."""
    asked = request.selectors
    if not found.sourced or asked.packs or request.all_packs:
        return asked
    say(
        f"running only {', '.join(map(one_line, found.sourced))} (from --pack-source); "
        "--all-packs runs every pack"
    )
    return replace(asked, packs=found.sourced)


def _vacuous(selected: list[Selected]) -> list[str]:
    return [
        f"warning: scenario '{one_line(item.scenario.name)}' checks nothing: it passes whatever "
        "the agent answers; give it target_facts, must_call, a policy or an outcome_fn"
        for item in selected
        if is_vacuous(item.scenario)
    ]
