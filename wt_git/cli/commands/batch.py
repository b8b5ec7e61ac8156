"""`wt batch`: run a file of sweeps, one after another."""

from __future__ import annotations

from pathlib import Path

import click

from wt_git.cli.options import CONTEXT_SETTINGS, PositiveInt

EPILOG = """
Exit codes: the highest of all sweeps; 2 also when a line is wrong or there is none, and nothing was
run then; 130 interrupted, after the runs in flight.
"""


@click.command("batch", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.argument("file", metavar="FILE", type=click.Path(allow_dash=True))
@click.option(
    "--runs-dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where lines that do not name another are recorded.",
)
@click.option("--scheduler", metavar="SPEC", help="How scenarios execute, unless a line says so.")
@click.option(
    "--max-concurrency",
    type=PositiveInt(),
    metavar="N",
    help="How many scenarios may run at once, unless a line says so.",
)
@click.option("--no-wait", is_flag=True, help="No line waits for a busy runtime.")
def command(
    *,
    file: str,
    runs_dir: Path | None,
    scheduler: str | None,
    max_concurrency: int | None,
    no_wait: bool,
) -> int:
    """Run the sweeps in FILE, one a line, in order; - is standard input.

    A line has the options of `wt run`, quoted as for a shell; # begins a comment, and `wt run` may
    stand in front. Every line is checked before the first one runs.
    """
    options = {
        "--runs-dir": runs_dir,
        "--scheduler": scheduler,
        "--max-concurrency": max_concurrency,
    }
    defaults = [
        word for name, value in options.items() if value is not None for word in (name, str(value))
    ]
    from wt_git.cli.batch import run_batch

    return run_batch(file, [*defaults, *(["--no-wait"] if no_wait else [])])
