"""The evidence in git, as `wt notes`, `wt log`, `wt sync` and `wt review` read and write it."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wt_git import files
from wt_git.cli import printing
from wt_git.cli.notes_here import no_commit, notes_here
from wt_git.clock import SystemClock
from wt_git.errors import EXIT_NO, EXIT_TIMED_OUT, EXIT_YES, UsageError
from wt_git.evidence.notes.show import commit_log, show_notes
from wt_git.evidence.notes.sweep_notes import prune_notes, rebuild_notes
from wt_git.evidence.notes.sync import NotSynced
from wt_git.evidence.reviews import review_sweep, write_review_note
from wt_git.git.history import History
from wt_git.githooks.commit_notes import head_since, share, show_evidence_on
from wt_git.records.runs_dir import RunsDir
from wt_git.reports.commit_log import commit_lines, trend_lines
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.evidence.notes.sync import Synced
    from wt_git.records.documents.evidence import CommitLog

_SWEEP_ID = re.compile(r"[0-9a-f]{12}")


def show_notes_on(revision: str, *, as_json: bool) -> int:
    """Print the evidence on the tree of a commit or tree."""
    found = show_notes(notes_here().notes, revision)
    if as_json:
        printing.data(files.json_document(found.as_document()))
    printing.print_answer("notes", () if as_json else found.lines, found.problems)
    if not found.lines:
        printing.talk(
            "notes", f"there is no evidence on {found.named}; this looks elsewhere: wt sync"
        )
        return EXIT_NO
    return EXIT_YES


_NO_NOTES = {
    "no-record": "it has no experiments record, so it did not end",
    "no-tree": "no tree is recorded for it, as outside of a repository or after a failed snapshot",
    "unreadable": "its lines cannot be read",
}


def rebuild_from(folders: Sequence[Path]) -> int:
    """Write the notes of all sweeps in these runs directories again."""
    if missing := [folder for folder in folders if not folder.is_dir()]:
        raise UsageError(f"there is no runs directory '{missing[0]}'", hints=("--runs-dir DIR",))
    here = notes_here()
    done = rebuild_notes(here.notes, folders)
    show_evidence_on(here.notes, head_since(here.notes), "notes on commits")
    for entry in done.without:
        printing.talk("notes", f"sweep {entry.sweep_id} leaves no notes: {_NO_NOTES[entry.why]}")
    if done.skipped_lines:
        printing.talk("notes", f"{done.skipped_lines} lines could not be read and were passed over")
    change = "all is there now" if done.changed else "all was there already"
    printing.data(f"{len(done.entries)} sweeps have notes; {change}")
    return EXIT_YES


def prune_sweeps(sweep_ids: Sequence[str]) -> int:
    """Take the notes of these sweeps out."""
    if wrong := [one for one in sweep_ids if not _SWEEP_ID.fullmatch(one)]:
        raise click.UsageError(f"'{wrong[0]}' is no sweep id: twelve digits of 0-9 and a-f")
    done = prune_notes(notes_here().notes, set(sweep_ids))
    for sweep_id in sorted(set(sweep_ids) - set(done.sweeps)):
        printing.talk("notes", f"there are no notes of sweep {sweep_id}")
    printing.data(f"pruned: {shlex.join(done.sweeps) or 'nothing'} ({done.lines} lines)")
    if done.changed:
        printing.talk("notes", "the history of the notes still holds what they said")
        printing.talk("notes", "  to take them out elsewhere: wt sync")
    return EXIT_YES if set(done.sweeps) == set(sweep_ids) else EXIT_NO


def sync_notes(remote: str | None, *, timeout_s: float, push: bool) -> int:
    """Fetch, merge and push the notes."""
    here = notes_here()
    name = here.remote(remote)
    clock = SystemClock()
    began = clock.monotonic()
    outcome = share(here.notes, name, timeout_s=timeout_s, push=push)
    if isinstance(outcome, NotSynced):
        printing.talk("sync", f"not done, at the {outcome.step}: {outcome.reason}")
        printing.talk("sync", f"  what is recorded here is still here; again: wt sync {name}")
        late = clock.monotonic() - began >= timeout_s
        return EXIT_TIMED_OUT if late else EXIT_NO
    printing.data(_synced(name, outcome))
    return EXIT_YES


def _synced(name: str, done: Synced) -> str:
    if done.tip is None:
        return f"{name}: there are no notes yet, neither here nor there"
    received = "received notes" if done.received else "nothing new to receive"
    sent = "sent notes" if done.sent else "nothing new to send"
    return f"{name}: {received}, {sent}"


def print_log(
    commits: str, scenario: str | None, *, limit: int | None, graph: bool, as_json: bool
) -> int:
    """Print commits with the experiments on their trees."""
    notes = notes_here().notes
    history = History(notes.repository)
    found = history.commits_in_range(commits)
    if found is None:
        raise no_commit(history, commits)
    log = commit_log(notes.repository, notes.view(), found, limit=limit, scenario=scenario)
    if as_json:
        printing.print_document(log)
    else:
        for line in _log_lines(log, graph=graph):
            printing.data(line)
    if scenario is not None and not log.commits:
        printing.talk(
            "log", f"no experiment with '{one_line(scenario)}' was recorded on these commits"
        )
    if log.skipped:
        printing.talk("log", f"{log.skipped} line(s) of notes could not be read and are not shown")
    if log.cut:
        printing.talk("log", "history is cut in this clone: older commits are not here")
    return EXIT_YES


def _log_lines(log: CommitLog, *, graph: bool) -> list[str]:
    lines = [line for one in log.commits for line in commit_lines(one)]
    if graph and log.commits:
        plain = "utf" not in (sys.stdout.encoding or "").lower()
        lines += ["", *trend_lines(log, plain=plain)]
    return lines


def review(runs_dir: Path, sweep_id: str, decision: str | None) -> int:
    """Record whether a finished sweep changed a decision."""
    reviewed = review_sweep(RunsDir(runs_dir), sweep_id, decision, now=SystemClock().now())
    warning = write_review_note(runs_dir, Path.cwd(), reviewed)
    if warning is not None:
        printing.talk("review", f"warning: {warning}")
    return EXIT_YES
