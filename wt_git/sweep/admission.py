"""Whether a sweep that was looked up may run: declared, earned, schedulable.

The gate decides twice, here and again once the runtime is held: two regressions that queue behind
one another are not both earned by one focused pass (docs/ladder.md, "The gate").
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from wt_git.ladder.declaration import check_declared
from wt_git.naming import listed
from wt_git.records import layout
from wt_git.records.fields import as_recorded
from wt_git.records.store import RunsDir
from wt_git.sweep.other_histories import history_elsewhere
from wt_git.sweep.outside_tree import about_what_is_outside, as_typed
from wt_git.sweep.request import LookedUp, Prepared
from wt_git.sweep.schedulers import plan
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.ladder.gate import Earned
    from wt_git.records.ledger import Ledger


def admit(found: LookedUp, ledger: Ledger, say: Callable[[str], None]) -> Prepared:
    """Return the sweep, ready to run. Raises `UsageError` with the rule that is in the way."""
    request = found.request
    RunsDir(request.runs_dir).check()
    has_history = ledger.has_rows()
    for line in _about_the_ledger(ledger):
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
    outside = about_what_is_outside(found.fingerprinter.subject, fingerprint)
    for about in (outside, _about_the_tree(found, fingerprint)):
        if about is not None:
            say(about)
    is_known = has_history and knows_target(found, ledger)
    for line in [] if is_known else _about_the_target(found, fingerprint, has_history=has_history):
        say(line)
    earned = earn(found, fingerprint, ledger)
    for line in [] if earned is None else _about_the_gate(earned):
        say(line)
    scheduling = plan(
        request.scheduler,
        request.max_concurrency,
        limit=found.runtime.limit,
        hooks_active=bool(found.hooks),
    )
    for notice in scheduling.notices:
        say(notice)
    looked_up = {field.name: getattr(found, field.name) for field in fields(LookedUp)}
    return Prepared(**looked_up, plan=scheduling, fingerprint=fingerprint, earned=earned)


def earn(found: LookedUp, fingerprint: Fingerprint, ledger: Ledger) -> Earned | None:
    """Return what earned a regression; None for a smaller sweep, which nothing has to earn.

    Raises `GateRefusedError`.
    """
    if found.tier != "regression":
        return None
    from wt_git.sweep.gate_check import check_gate  # noqa: PLC0415 - for regressions only

    others = found.fingerprinter.subject.other_targets
    return check_gate(found.request, found.selected, fingerprint, ledger, others)


def knows_target(found: LookedUp, ledger: Ledger) -> bool:
    """Say whether the ledger has any row against the backend of a sweep, however it was named."""
    return ledger.has_target(*map(as_recorded, _targets(found)))


def _targets(found: LookedUp) -> tuple[str, ...]:
    subject = found.fingerprinter.subject
    return (subject.target, *subject.other_targets)


def _about_the_ledger(ledger: Ledger) -> list[str]:
    skipped = ledger.skipped
    if not skipped:
        return []
    return [
        f"note: {skipped} line(s) of {layout.LEDGER} were passed over: they are broken, and hold no row"
    ]


def _about_the_target(found: LookedUp, fingerprint: Fingerprint, *, has_history: bool) -> list[str]:
    """Say that a target is new here, where that may be no more than a slip."""
    lines = []
    if has_history and found.tier == "regression":
        lines.append(
            f"note: nothing in '{found.request.runs_dir}' is about "
            f"'{one_line(_targets(found)[0])}': its first regression need not be earned"
        )
    elsewhere = _history_elsewhere(found, fingerprint, has_history=has_history)
    return lines if elsewhere is None else [*lines, elsewhere]


def _about_the_gate(earned: Earned) -> list[str]:
    from wt_git.sweep.gate_check import gate_notes  # noqa: PLC0415

    lines = gate_notes(earned)
    if earned.excluded:
        names = ", ".join(one_line(one.name) for one in earned.excluded)
        lines.append(f"not testing scenario(s) whose most recent regression run failed: {names}")
    return lines


def _history_elsewhere(
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


def _about_the_tree(found: LookedUp, fingerprint: Fingerprint) -> str | None:
    """Name what makes the tree of a focused sweep one that nobody may ever commit."""
    snapshot = fingerprint.snapshot
    if found.tier != "focused" or snapshot is None:
        return None
    strays = [f"'{one_line(path)}' (untracked)" for path in snapshot.untracked]
    strays += [f"'{one_line(path)}' (partly staged)" for path in snapshot.partly_staged]
    if not strays:
        return None
    return (
        f"note: under test with everything else: {listed(strays)}; what passes "
        "now covers only a commit of exactly this. A scratch file belongs in .git/info/exclude, "
        "then it is not part of it"
    )
