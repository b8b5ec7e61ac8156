"""`wt completion`: the script that teaches a shell to complete `wt`."""

from __future__ import annotations

from pathlib import Path

import click

from wt_git.cli.options import CONTEXT_SETTINGS
from wt_git.errors import EXIT_YES

EPILOG = """
For this session: eval "$(wt completion bash)", eval "$(wt completion zsh)", or
wt completion fish | source. To keep it, put that line into ~/.bashrc, into ~/.zshrc behind
compinit, or the output into ~/.config/fish/completions/wt.fish.
"""

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.argument("shell", type=click.Choice(SHELLS))
def command(*, shell: str) -> int:
    """Print the script that makes SHELL complete commands, options, paths, labels and sweeps.

    On every TAB it asks `wt` itself, so it need not be made again after an update.
    """
    folder = Path(__file__).parents[1] / "completion"
    click.echo((folder / f"wt.{shell}").read_text("utf-8"), nl=False)
    return EXIT_YES
