"""A `wt` command run in this process, as a process of its own would run it.

The call gets its own streams, environment, working directory, import path, signal handlers, logging
and random numbers, and leaves nothing behind: no thread, no module of the test's folder, no cache.
Code that ends the process, waits for a signal, or is about start-up needs a real one.
"""

from __future__ import annotations

import contextlib
import contextvars
import importlib
import logging
import os
import random
import signal
import sys
import sysconfig
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import windtunnel  # noqa: F401 - its finder is there before a call, and so stays after it

from wt_git.api import trace
from wt_git.cli import main
from wt_git.git import libgit2
from wt_git.plugins import loading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

# Read by Python, the C library or libgit2 when the process starts.
_READ_AT_START = ("PYTHON", "LC_", "LANG", "TZ", "HOME", "XDG_", "COLUMNS_")
_SIGNALS = (signal.SIGHUP, signal.SIGPIPE, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
_PROJECT = Path(__file__).resolve().parents[2]
_OURS = (str(_PROJECT), str(_PROJECT / "wt_git" / "_alias"))
_INSTALLED = ("site-packages", "dist-packages", sysconfig.get_path("stdlib"))
_KEPT_PACKAGES = frozenset({"wt_git", "windtunnel", *sys.stdlib_module_names})
_PATIENCE_S = 10


class Streams(NamedTuple):
    """The exit code of a command and the bytes that it and its children wrote."""

    code: int
    out: bytes
    err: bytes


def run_main(arguments: list[str], env: Mapping[str, str], cwd: Path | None) -> Streams:
    """Run `wt` with `arguments`; `env` is added to the environment of the test."""
    assert threading.current_thread() is threading.main_thread(), "beside others: use wt_process"
    early = [name for name in env if name.startswith(_READ_AT_START)]
    assert not early, f"read when a process starts: use wt_process for {early}"
    with contextlib.ExitStack() as stack:
        for restored in (_folder(cwd), _environment(env), _interpreter(arguments), _imports()):
            stack.enter_context(restored)
        out, err = stack.enter_context(_captured())
        with _threads_joined():
            code = contextvars.copy_context().run(main, arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        return Streams(code, _content(out), _content(err))


def _content(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


@contextlib.contextmanager
def _captured() -> Iterator[tuple[int, int]]:
    """Point the descriptors 0 to 2 and Python's streams at /dev/null and two files."""
    names = ("stdin", "stdout", "stderr")
    streams = [getattr(sys, name) for name in names]
    for stream in streams[1:]:
        stream.flush()
    ours = (os.open(os.devnull, os.O_RDONLY), *(os.memfd_create(name) for name in names[1:]))
    saved = [os.dup(descriptor) for descriptor in range(3)]
    try:
        for standard, descriptor in enumerate(ours):
            os.dup2(descriptor, standard)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
        yield ours[1], ours[2]
    finally:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            stream.close()
        for name, stream in zip(names, streams, strict=True):
            setattr(sys, name, stream)
        for standard, descriptor in enumerate(saved):
            os.dup2(descriptor, standard)
        for descriptor in (*saved, *ours):
            os.close(descriptor)


@contextlib.contextmanager
def _folder(cwd: Path | None) -> Iterator[None]:
    before, mask = os.open(".", os.O_RDONLY), os.umask(0)
    os.umask(mask)
    try:
        if cwd is not None:
            os.chdir(cwd)
        yield
    finally:
        os.fchdir(before)
        os.close(before)
        os.umask(mask)


@contextlib.contextmanager
def _environment(env: Mapping[str, str]) -> Iterator[None]:
    before, temporary = dict(os.environ), tempfile.tempdir
    try:
        os.environ.update(env)
        tempfile.tempdir = None  # asks TMPDIR again
        yield
    finally:
        tempfile.tempdir = temporary
        for name in set(os.environ) - set(before):
            del os.environ[name]
        for name, value in before.items():
            if os.environ.get(name) != value:
                os.environ[name] = value


@contextlib.contextmanager
def _interpreter(arguments: list[str]) -> Iterator[None]:
    """Handlers, warnings, logging and random numbers as a new interpreter has them."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, *_SIGNALS)}
    hooks = (sys.excepthook, sys.unraisablehook, threading.excepthook)
    root, numbers, argv = logging.getLogger(), random.getstate(), sys.argv
    logged, level, disabled = root.handlers[:], root.level, logging.root.manager.disable
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.excepthook, sys.unraisablehook = sys.__excepthook__, sys.__unraisablehook__
        threading.excepthook = threading.__excepthook__
        root.handlers[:] = []
        root.setLevel(logging.WARNING)
        random.seed()
        sys.argv = [str(_PROJECT / "wt_git" / "__main__.py"), *arguments]
        with warnings.catch_warnings():
            warnings.resetwarnings()
            for kind in (ResourceWarning, ImportWarning, PendingDeprecationWarning):
                warnings.simplefilter("ignore", kind, append=True)
            warnings.simplefilter("ignore", DeprecationWarning, append=True)
            warnings.showwarning = _show_warning
            yield
    finally:
        sys.argv = argv
        random.setstate(numbers)
        root.handlers[:] = logged
        root.setLevel(level)
        logging.disable(disabled)
        sys.excepthook, sys.unraisablehook, threading.excepthook = hooks
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _show_warning(message, category, filename, lineno, file=None, line=None):
    text = warnings.formatwarning(message, category, filename, lineno, line)
    (file or sys.stderr).write(text)


@contextlib.contextmanager
def _imports() -> Iterator[None]:
    """The import path of `python -m wt_git`, and no module that an earlier call imported."""
    path, hooks, finders = sys.path[:], sys.path_hooks[:], dict(sys.path_importer_cache)
    meta, modules = sys.meta_path[:], dict(sys.modules)
    known = dict(vars(loading)["_modules_by_file"])
    for name in _of_a_test():
        del sys.modules[name]
    sys.meta_path[:] = [one for one in meta if not type(one).__module__.startswith("_pytest")]
    _forget(path=[str(Path.cwd()), *(one for one in path if one in _OURS or _is_installed(one))])
    try:
        yield
    finally:
        for name in _of_a_test():
            del sys.modules[name]
        for name, module in modules.items():
            sys.modules.setdefault(name, module)
        sys.path_hooks[:], sys.meta_path[:] = hooks, meta
        sys.path_importer_cache.clear()
        sys.path_importer_cache.update(finders)
        _forget(path=path)
        vars(loading)["_modules_by_file"].update(known)


def _forget(*, path: list[str]) -> None:
    sys.path[:] = path
    vars(loading)["_modules_by_file"].clear()
    libgit2.common_folder_of.cache_clear()
    vars(trace)["_checked_folder"].cache_clear()
    importlib.invalidate_caches()


def _of_a_test() -> list[str]:
    """The names of the modules that are neither ours nor installed."""
    names = [name for name, module in sys.modules.items() if _INNOCENT.get(name) is not module]
    found = [name for name in names if _is_of_a_test(name)]
    _INNOCENT.update((name, sys.modules[name]) for name in set(names).difference(found))
    return found


# Found to be ours or installed; asking two thousand modules again takes longer than many a command.
_INNOCENT: dict[str, ModuleType | None] = {}


def _is_of_a_test(name: str) -> bool:
    """Say whether a module is neither ours nor installed; the tests' own are among them."""
    if name.partition(".")[0] in _KEPT_PACKAGES or name == "__main__":
        return False
    module = sys.modules[name]
    places = [getattr(module, "__file__", None), *(getattr(module, "__path__", None) or ())]
    return not any(map(_is_installed, filter(None, places))) and hasattr(module, "__spec__")


def _is_installed(place: str) -> bool:
    return any(part in place for part in _INSTALLED)


@contextlib.contextmanager
def _threads_joined() -> Iterator[None]:
    """Wait for the threads that the block starts, and fails where one goes on."""
    started: list[threading.Thread] = []
    mine, start = {threading.get_ident()}, threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        is_ours = threading.get_ident() in mine
        start(thread)
        if is_ours:
            started.append(thread)
            mine.add(thread.ident)

    threading.Thread.start = noted
    try:
        yield
    finally:
        threading.Thread.start = start
        deadline = time.monotonic() + _PATIENCE_S
        for thread in started:
            thread.join(max(0, deadline - time.monotonic()))
        going = [thread.name for thread in started if thread.is_alive()]
        assert not going, f"threads outlive the command: use wt_process for {going}"
