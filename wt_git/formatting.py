"""How numbers, money, durations and ids are written for people, in one way everywhere."""

from __future__ import annotations

_MINUTE_S = 60
_SMALL_USD = 0.1
_COMMIT_LENGTH, _RUN_LENGTH = 10, 8


def percent(rate: float) -> str:
    """Return a rate as a whole percentage; only a rate of 1 is `100%`, and only 0 is `0%`."""
    whole = round(rate * 100)
    if whole in {0, 100} and rate * 100 != whole:
        return "<1%" if whole == 0 else ">99%"
    return f"{whole}%"


def decimal(value: float, digits: int = 2) -> str:
    """Return a number with at most `digits` decimals and groups of thousands."""
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars(amount: float) -> str:
    """Return an amount with cents, and with four decimals while it is below a dime."""
    return f"${amount:,.4f}" if 0 < amount < _SMALL_USD else f"${amount:,.2f}"


def duration(seconds: float) -> str:
    """Return seconds as `42.1 s`, `3 min 20 s` or `2 h 5 min`."""
    if seconds < _MINUTE_S:
        return f"{decimal(seconds, 1)} s"
    minutes, rest = divmod(round(seconds), _MINUTE_S)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def short_commit(commit: str) -> str:
    """Return the beginning of a commit id, enough for git to find it."""
    return commit[:_COMMIT_LENGTH]


def short_run(run_id: str) -> str:
    """Return the beginning of a run id, as file names have it."""
    return run_id[:_RUN_LENGTH]


def stopwatch(seconds: float) -> str:
    """Return the whole seconds of a running time as `0:42` or `2:05:00`."""
    minutes, rest = divmod(int(seconds), _MINUTE_S)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def plain_seconds(seconds: float) -> str:
    """Return seconds without trailing zeros: `900`, `0.5`."""
    return str(int(seconds)) if seconds == int(seconds) else str(seconds)
