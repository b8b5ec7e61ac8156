"""Admission of a sweep: looking up everything that it names, and deciding whether it may run.

Each refusal exits with 2. docs/architecture.md, "A sweep, step by step", lists the steps.
"""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wt_git import __version__, config, files
from wt_git.api.scenario import scenario_warnings
from wt_git.errors import UsageError
from wt_git.evidence.fingerprint import (
    Fingerprinter,
    FingerprintInputs,
    place_in_tree,
    readable_repository,
)
from wt_git.evidence.targets import target_of
from wt_git.evidence.written_paths import check_runs_dir
from wt_git.ladder.declaration import check_declared
from wt_git.ladder.money_ceiling import resolve_ceiling
from wt_git.ladder.tiers_and_budgets import check_model, sweep_budget_s, tier_of
from wt_git.plugins.loading import describe, source_file
from wt_git.plugins.packs import discover_packs
from wt_git.plugins.runtimes import find_plugin, resolve_hooks, resolve_runtime
from wt_git.records import layout
from wt_git.records.fingerprint import OUTSIDE, PACK_SOURCE
from wt_git.records.ledger.row import read_row
from wt_git.records.record import as_recorded
from wt_git.records.runs_dir import RunsDir
from wt_git.sweep.jobs.schedulers import plan_jobs
from wt_git.sweep.request import LookedUp, Prepared, agent_config, agents_file, soul_text
from wt_git.sweep.selection import select
from wt_git.text import one_line, shortened_list

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from wt_git.config import Settings
    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.ladder.gate import Earned
    from wt_git.plugins.packs import Discovered
    from wt_git.plugins.runtimes import Runtime
    from wt_git.records.ledger.ledger import Ledger
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
    for warning in _scenario_warnings(selected):
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


def _scenario_warnings(selected: list[Selected]) -> list[str]:
    return [
        f"warning: scenario '{one_line(item.scenario.name)}' {problem}"
        for item in selected
        for problem in scenario_warnings(item.scenario)
    ]


_LATEST = 50


def history_elsewhere(
    runs_dir: Path, places: Iterable[Path], targets: Container[str]
) -> Path | None:
    """Return a folder in one of `places` whose latest rows are about `targets`; None without one.

    Only the folders directly in a place are looked at, and only the end of their ledgers.
    """
    own = runs_dir.resolve()
    for place in places:
        for ledger in sorted(place.glob(f"*/{layout.LEDGER}")):
            if ledger.parent.resolve() != own and ledger.is_file() and _is_about(ledger, targets):
                return ledger.parent
    return None


def _is_about(ledger: Path, targets: Container[str]) -> bool:
    try:
        lines = itertools.islice(files.read_lines_backwards(ledger), _LATEST)
        rows = [read_row(line.text.encode()) for line in lines]
    except OSError:
        return False
    return any(row is not None and row.target in targets for row in rows)


_HASHED = {"soul", "agents"}
"""Sources that are part of the fingerprint by their content, wherever they are."""


def files_outside_note(subject: FingerprintInputs, fingerprint: Fingerprint) -> str | None:
    """Return a note that names these files; None where there are none, or no tree either.

    Installed packages are left out: they are rarely edited.
    """
    if fingerprint.repository is None or fingerprint.snapshot is None:
        return None
    named = [path for name, path in subject.sources.items() if name not in _HASHED]
    outside = [
        f"'{one_line(str(as_typed(path)))}'"
        for path in dict.fromkeys([*named, *config.files_with_settings(subject.folder)])
        if place_in_tree(path, fingerprint.repository, fingerprint.snapshot) == OUTSIDE
        and "site-packages" not in path.resolve().parts
    ]
    if not outside:
        return None
    return (
        f"note: outside of the tree under test: {', '.join(outside)}; edits there make no pass stale, "
        "and `wt verify` does not count such a pack. Put what decides an experiment into the repository"
    )


def as_typed(path: Path) -> Path:
    """Return `path` as a user in the current folder would type it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def admit(found: LookedUp, ledger: Ledger, say: Callable[[str], None]) -> Prepared:
    """Return the sweep, ready to run. Raises `UsageError` with the rule that is in the way."""
    request = found.request
    RunsDir(request.runs_dir).check()
    has_history = ledger.has_rows()
    for line in _ledger_notes(ledger):
        say(line)
    check_declared(
        request.declaration,
        has_history=has_history,
        tier=found.tier,
        runs_dir=request.runs_dir,
        command=request.command,
    )
    fingerprint = found.fingerprinter.take()
    for note in fingerprint.notes:
        say(f"note: {note}")
    outside = files_outside_note(found.fingerprinter.inputs, fingerprint)
    for about in (outside, _stray_files_note(found, fingerprint)):
        if about is not None:
            say(about)
    is_known = has_history and knows_target(found, ledger)
    for line in [] if is_known else _target_notes(found, fingerprint, has_history=has_history):
        say(line)
    earned = check_earned(found, fingerprint, ledger)
    for line in [] if earned is None else _gate_notes(earned):
        say(line)
    scheduling = plan_jobs(
        request.scheduler,
        request.max_concurrency,
        limit=found.runtime.limit,
        hooks_active=bool(found.hooks),
    )
    for notice in scheduling.notices:
        say(notice)
    looked_up = {name: getattr(found, name) for name in LookedUp.__struct_fields__}
    return Prepared(**looked_up, plan=scheduling, fingerprint=fingerprint, earned=earned)


def check_earned(found: LookedUp, fingerprint: Fingerprint, ledger: Ledger) -> Earned | None:
    """Return what earned a regression; None for a smaller sweep, which need not be earned.

    Raises `GateRefusedError`.
    """
    if found.tier != "regression":
        return None
    from wt_git.sweep.gate_check import check_gate  # noqa: PLC0415 - for regressions only

    others = found.fingerprinter.inputs.other_targets
    return check_gate(found.request, found.selected, fingerprint, ledger, others)


def knows_target(found: LookedUp, ledger: Ledger) -> bool:
    """Say whether the ledger has any row against the backend of a sweep, however it was named."""
    return ledger.has_target(*map(as_recorded, _targets(found)))


def _targets(found: LookedUp) -> tuple[str, ...]:
    subject = found.fingerprinter.inputs
    return (subject.target, *subject.other_targets)


def _ledger_notes(ledger: Ledger) -> list[str]:
    skipped = ledger.skipped
    if not skipped:
        return []
    return [
        f"note: {skipped} line(s) of {layout.LEDGER} were passed over: they are broken, and hold no row"
    ]


def _target_notes(found: LookedUp, fingerprint: Fingerprint, *, has_history: bool) -> list[str]:
    """Say that a target is new here, where that may be no more than a slip."""
    lines = []
    if has_history and found.tier == "regression":
        lines.append(
            f"note: nothing in '{found.request.runs_dir}' is about "
            f"'{one_line(_targets(found)[0])}': its first regression need not be earned"
        )
    elsewhere = _history_elsewhere_note(found, fingerprint, has_history=has_history)
    return lines if elsewhere is None else [*lines, elsewhere]


def _gate_notes(earned: Earned) -> list[str]:
    from wt_git.sweep.gate_check import gate_notes  # noqa: PLC0415

    lines = gate_notes(earned)
    if earned.excluded:
        names = ", ".join(one_line(one.name) for one in earned.excluded)
        lines.append(f"not testing scenario(s) whose most recent regression run failed: {names}")
    return lines


def _history_elsewhere_note(
    found: LookedUp, fingerprint: Fingerprint, *, has_history: bool
) -> str | None:
    repository = found.fingerprinter.repository() if fingerprint.snapshot is not None else None
    if repository is None:
        return None
    beside = found.request.runs_dir.absolute().parent
    places = dict.fromkeys([beside, *repository.working_directories()])
    other = history_elsewhere(
        found.request.runs_dir, places, set(map(as_recorded, _targets(found)))
    )
    if other is None:
        return None
    state = "knows nothing of it" if has_history else "is fresh"
    return (
        f"note: '{found.request.runs_dir}' {state}, while '{as_typed(other)}' has history for this target: "
        "what runs now is a baseline of its own, and earns nothing there"
    )


def _stray_files_note(found: LookedUp, fingerprint: Fingerprint) -> str | None:
    """Name the files for which the tree of a focused sweep may never be committed."""
    snapshot = fingerprint.snapshot
    if found.tier != "focused" or snapshot is None:
        return None
    strays = [f"'{one_line(path)}' (untracked)" for path in snapshot.untracked]
    strays += [f"'{one_line(path)}' (partly staged)" for path in snapshot.partly_staged]
    if not strays:
        return None
    return (
        f"note: under test with everything else: {shortened_list(strays)}; what passes "
        "now covers only a commit of exactly this. A scratch file belongs in .git/info/exclude, "
        "then it is not part of it"
    )
