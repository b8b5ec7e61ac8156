"""A batch from its file to its exit code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.cli.batch_lines import parse_batch
from wt_git.cli.batch_specs import check_batch
from wt_git.cli.problems import report
from wt_git.cli.spec_process import Sweeps
from wt_git.cli.ui import talk
from wt_git.errors import UsageError
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.cli.batch_specs import Spec

_STANDARD_INPUT = "-"


def run_batch(file: str, defaults: Sequence[str]) -> int:
    """Check all lines of `file`, run them in order and return the highest exit code.

    `defaults` are options that stand in front of those of each line. Raises `UsageError`, before
    anything runs, for a file that cannot be read and lines that are wrong.
    """
    name = "<stdin>" if file == _STANDARD_INPUT else one_line(file)
    checked = check_batch(parse_batch(_text(file)), defaults)
    for problem in checked.problems:
        talk("batch", f"{name}:{problem.number}: {problem.problem}")
    if checked.problems:
        lines = sorted({problem.number for problem in checked.problems})
        raise UsageError(
            f"no spec was run: {_counted(len(lines), 'line')} of {name} cannot be run as written",
            code="batch-invalid",
            facts={
                "file": file,
                "problems": [{"line": n, "problem": what} for n, what in checked.problems],
            },
        )
    if not checked.specs:
        raise UsageError(
            f"{name} contains no run specs: each line is the options of one `wt run`",
            code="batch-empty",
            facts={"file": file},
        )
    return _run(name, checked.specs)


def _text(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == _STANDARD_INPUT else Path(file).read_bytes()
        return data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot read the specs of '{one_line(file)}': {reason}",
            code="batch-unreadable",
            facts={"file": file, "reason": reason},
        ) from error


def _run(name: str, specs: Sequence[Spec]) -> int:
    ended: list[tuple[Spec, int]] = []
    with Sweeps() as sweeps:
        for place, spec in enumerate(specs, 1):
            if sweeps.code is not None:
                break
            talk("batch", f"[{place}/{len(specs)}] {name}:{spec.line}: {spec.text}")
            ended.append((spec, _exit_code(sweeps, spec)))
    _summarise(ended, specs[len(ended) :])
    return max(code for _, code in ended) if sweeps.code is None else sweeps.code


def _exit_code(sweeps: Sweeps, spec: Spec) -> int:
    try:
        return sweeps.run(spec.words)
    except OSError as error:  # too many processes, too long a command
        return report(error, ["batch"])


def _summarise(ended: Sequence[tuple[Spec, int]], others: Sequence[Spec]) -> None:
    width = max((len(one_line(spec.label)) for spec, _ in ended), default=0)
    lines = [
        f"  line {spec.line:<4} label {one_line(spec.label):<{width}}  exit {code}"
        for spec, code in ended
    ]
    talk("batch", "\n".join([f"{len(ended)} spec(s) finished:", *lines]))
    if others:
        numbers = ", ".join(str(spec.line) for spec in others)
        talk("batch", f"ended by a signal; not started: line {numbers}")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
