"""`wt batch`: the lines of the file, the check of all of them, and running one after another.

Nothing runs before every line is checked. Each sweep is a process of its own: in one process, code
that was loaded for an earlier sweep would run under the fingerprint of files that were edited since.
"""

from __future__ import annotations

import io
import shlex
import signal
import subprocess  # noqa: TID251 - it starts this program
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import click

from wt_git.cli.commands import run
from wt_git.cli.commands.run import check_paired
from wt_git.cli.error_messages import report_error
from wt_git.cli.printing import talk
from wt_git.cli.run.sweep import look_up_here, request_of
from wt_git.errors import EXIT_INTERRUPTED, EXIT_TERMINATED, UsageError, WindTunnelError
from wt_git.evidence.written_paths import check_output
from wt_git.ladder.declaration import missing_of
from wt_git.records.ledger.ledger import Ledger
from wt_git.records.runs_dir import RunsDir
from wt_git.sweep.jobs.schedulers import plan_jobs
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType, TracebackType
    from typing import Any

    from wt_git.sweep.request import SweepRequest

_BLANKS = " \t\r\n"


class SpecLine(NamedTuple):
    """A line with a sweep: its number from 1, its text, and the words behind `wt run`."""

    number: int
    text: str
    words: list[str]


class BadLine(NamedTuple):
    """A line that cannot be run, and why."""

    number: int
    problem: str


def parse_batch(text: str) -> list[SpecLine | BadLine]:
    """Return the lines of a batch that are neither blank nor a comment."""
    found: list[SpecLine | BadLine] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        try:
            words = words_of(line)
        except ValueError as error:
            found.append(BadLine(number, str(error)))
            continue
        if "\0" in line:
            found.append(BadLine(number, "a NUL character cannot be part of a command"))
        elif words:
            found.append(SpecLine(number, line.strip(_BLANKS), _behind_the_command(words)))
    return found


def words_of(line: str) -> list[str]:
    """Return the words of a line, up to a `#` that begins one.

    Raises `ValueError` for a quote that is not closed, or a backslash at the end.
    """
    stream = io.StringIO(line)
    lexer = shlex.shlex(stream, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""  # it would take the # in `--label try#2` for one
    words: list[str] = []
    while (rest := line[stream.tell() :].lstrip(_BLANKS)) and not rest.startswith("#"):
        words.append(lexer.get_token() or "")
    return words


def _behind_the_command(words: list[str]) -> list[str]:
    for command in (["wt", "run"], ["run"]):
        if words[: len(command)] == command:
            return words[len(command) :]
    return words


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A sweep to run: its line, its text, the words behind `wt run`, and its label."""

    line: int
    text: str
    words: list[str]
    label: str


def check_batch(
    lines: Sequence[SpecLine | BadLine], defaults: Sequence[str]
) -> tuple[list[Spec], list[BadLine]]:
    """Return the sweeps of a batch, and the lines that are wrong; nothing runs if there are any.

    `defaults` are options in front of those of each line.
    """
    specs: list[Spec] = []
    problems: list[BadLine] = []
    histories = _Histories()
    for line in lines:
        if isinstance(line, BadLine):
            problems.append(line)
            continue
        words = [*defaults, *line.words]
        try:
            options = _parsed(words)
            request = request_of(options, ["run", *words])
        except click.ClickException as error:
            problems.append(BadLine(line.number, _mistyped(error)))
            continue
        wrong = _problems(request, options, histories)
        problems.extend(BadLine(line.number, problem) for problem in wrong)
        if not options["dry_run"]:
            histories.will_run(request, line.number)
        specs.append(Spec(line=line.number, text=line.text, words=words, label=request.label))
    return specs, problems


def _parsed(words: list[str]) -> dict[str, Any]:
    """Return the options of `wt run`, parsed by `wt run` itself. Raises `ClickException`.

    `--help` is not among them: it would run nothing.
    """
    with run.command.make_context("wt run", list(words), help_option_names=[]) as context:
        check_paired(context.params)
        return context.params


def _mistyped(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption) and error.option_name in {"-h", "--help"}:
        return f"{error.option_name} runs nothing; see `wt run --help`"
    return error.format_message()


def _problems(
    request: SweepRequest, options: dict[str, Any], histories: _Histories
) -> Iterator[str]:
    """Yield why `wt run` would refuse this line, apart from the ladder."""
    try:
        RunsDir(request.runs_dir).check()
        undeclared = histories.undeclared(request)
    except WindTunnelError as error:
        yield _told(error)
        return
    if undeclared is not None:
        yield undeclared
    try:
        _look_up(request, options)
    except WindTunnelError as error:
        yield _told(error)


def _told(error: WindTunnelError) -> str:
    return "\n".join([error.message, *(f"  {hint}" for hint in error.hints)])


def _look_up(request: SweepRequest, options: dict[str, Any]) -> None:
    """Resolve every name in a request. Raises the first `WindTunnelError`."""
    if options["out"] is not None:
        check_output(options["out"], RunsDir(request.runs_dir))
    found = look_up_here(request, lambda _note: None)  # the sweep prints notes when it runs
    plan_jobs(
        request.scheduler,
        request.max_concurrency,
        limit=found.runtime.limit,
        hooks_active=bool(found.hooks),
    )


class _Histories:
    """The runs directories that have history, or will have once the lines so far have run."""

    def __init__(self) -> None:
        self._first_user: dict[Path, int] = {}

    def undeclared(self, request: SweepRequest) -> str | None:
        """Return which declarations a sweep lacks; None if it lacks none. Raises `UsageError`."""
        missing, runs_dir, why = missing_of(request.declaration), request.runs_dir, "has history"
        if not missing:
            return None
        if not Ledger(runs_dir, keep_index=False).has_rows():
            earlier = self._first_user.get(runs_dir.resolve())
            if earlier is None:
                return None
            why = f"will have history from line {earlier}"
        return f"needs --question and --expect: '{runs_dir}' {why}; add {' '.join(missing)}"

    def will_run(self, request: SweepRequest, line: int) -> None:
        self._first_user.setdefault(request.runs_dir.resolve(), line)


_KILLED = 128
"""A shell adds it to the number of the signal that ended a process."""
_CODES = {
    signal.SIGINT: EXIT_INTERRUPTED,
    signal.SIGTERM: EXIT_TERMINATED,
    signal.SIGHUP: _KILLED + signal.SIGHUP,
}


class SweepProcesses:
    """Runs sweeps. While it is entered, a signal goes to the sweep in flight and ends the batch.

    `code` is the exit code for the first signal, None without one.
    """

    def __init__(self) -> None:
        self.code: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._not_passed_on: list[signal.Signals] = []
        self._previous: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _CODES:
                # A signal that is ignored, as by nohup, stays ignored.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def run(self, words: Sequence[str]) -> int:
        """Run `wt run` with these words to its end and return its exit code. Raises `OSError`."""
        self._process = subprocess.Popen(  # noqa: S603 - this program, and words of `wt run`
            [sys.executable, "-P", "-m", "wt_git", "run", *words],
            stdin=subprocess.DEVNULL,
            # Ctrl-C in a terminal reaches the whole process group. A second signal would end the
            # sweep without its runs in flight, so only we send it signals.
            process_group=0,
        )
        self._pass_on()
        code = self._process.wait()
        self._process = None
        return code if code >= 0 else _KILLED - code

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        came = signal.Signals(number)
        if self.code is None:
            self.code = _CODES[came]
        self._not_passed_on.append(came)
        self._pass_on()

    def _pass_on(self) -> None:
        while self._process is not None and self._not_passed_on:
            came = self._not_passed_on.pop()
            # `wt run` handles SIGINT and SIGTERM; SIGHUP would kill it.
            self._process.send_signal(signal.SIGTERM if came is signal.SIGHUP else came)


_STANDARD_INPUT = "-"


def run_batch(file: str, defaults: Sequence[str]) -> int:
    """Check all lines of `file`, run them in order and return the highest exit code.

    `defaults` are options that stand in front of those of each line. Raises `UsageError`, before
    anything runs, for a file that cannot be read and lines that are wrong.
    """
    name = "<stdin>" if file == _STANDARD_INPUT else one_line(file)
    specs, problems = check_batch(parse_batch(_text(file)), defaults)
    for problem in problems:
        talk("batch", f"{name}:{problem.number}: {problem.problem}")
    if problems:
        lines = sorted({problem.number for problem in problems})
        counted = f"{len(lines)} line{'s' if len(lines) > 1 else ''}"
        raise UsageError(
            f"no spec was run: {counted} of {name} cannot be run as written",
            code="batch-invalid",
            facts={
                "file": file,
                "problems": [{"line": n, "problem": what} for n, what in problems],
            },
        )
    if not specs:
        raise UsageError(
            f"{name} contains no run specs: each line is the options of one `wt run`",
            code="batch-empty",
            facts={"file": file},
        )
    return _run(name, specs)


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
    with SweepProcesses() as sweeps:
        for place, spec in enumerate(specs, 1):
            if sweeps.code is not None:
                break
            talk("batch", f"[{place}/{len(specs)}] {name}:{spec.line}: {spec.text}")
            ended.append((spec, _exit_code(sweeps, spec)))
    _summarise(ended, specs[len(ended) :])
    return max(code for _, code in ended) if sweeps.code is None else sweeps.code


def _exit_code(sweeps: SweepProcesses, spec: Spec) -> int:
    try:
        return sweeps.run(spec.words)
    except OSError as error:  # too many processes, too long a command
        return report_error(error, ["batch"])


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
