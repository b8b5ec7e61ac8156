"""The parts of the documentation that are written by the code they describe.

A page holds such a part between `<!-- generated: NAME -->` and `<!-- end -->`. The tests compare;
`python tests/kit/generated_docs.py` writes the parts anew.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import tomli

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PROJECT = Path(__file__).resolve().parents[2]

_PART = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def layer_table() -> str:
    """The layer table of the architecture page, from tests/layers.toml."""
    table = tomli.loads((PROJECT / "tests/layers.toml").read_text("utf-8"))
    rows = [("Package", "May import", "From elsewhere", "Must not know")]
    leaves = table["leaves"]
    rows.append(
        (
            ", ".join(f"`{name}`" for name in leaves["modules"]),
            *(
                "; ".join(f"`{name}`: {_names(of)}" for name, of in leaves[key].items())
                for key in ("imports", "third_party")
            ),
            "the rest: these are the leaves",
        )
    )
    for name, rules in table["packages"].items():
        rows.append(
            (f"`{name}`", _imports(rules), _names(rules["third_party"]), rules["must_not_know"])
        )
    return _markdown(rows)


def _imports(rules: dict[str, Any]) -> str:
    said = [_names(rules["imports"])]
    said += [f"`{name}` alone: {_names(of)}" for name, of in rules.get("facades", {}).items()]
    if rules.get("only_types"):
        said.append(f"types of {_names(rules['only_types'])}")
    return "; ".join(part for part in said if part)


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def command_reference() -> str:
    """The reference of all commands, from the command line itself."""
    cli = importlib.import_module("wt_git.cli")
    commands = [
        section
        for name, entry in cli.COMMANDS.items()
        for section in _sections(f"wt {name}", importlib.import_module(entry.module).command)
    ]
    overview = f"### wt\n\n```text\n{cli.overview().rstrip()}\n```"
    return "\n\n".join([overview, *commands])


def _sections(name: str, command: click.Command) -> list[str]:
    """The section of a command, and of each command below it."""
    below = command.commands if isinstance(command, click.Group) else {}
    nested = [_sections(f"{name} {sub}", found) for sub, found in below.items()]
    return [_command(name, command), *(section for group in nested for section in group)]


def _command(name: str, command: click.Command) -> str:
    # With the command's own settings: click keeps the help option that it is first asked for.
    settings = {**command.context_settings, "max_content_width": 88}
    context = click.Context(command, info_name=name, terminal_width=88, **settings)
    sections = [f"### {name}", _paragraphs(command.help)]
    usage = " ".join(command.collect_usage_pieces(context))
    sections.append(f"Usage: `{name} {usage}`")
    options = [
        (_declaration(option), _default(option), _help(option))
        for option in command.get_params(context)
        if isinstance(option, click.Option)
    ]
    sections.append(_markdown([("Option", "Default", "What it does"), *options]))
    if command.epilog:
        sections.append(_paragraphs(command.epilog))
    return "\n\n".join(sections)


def _declaration(option: click.Option) -> str:
    spelt = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    if option.is_flag:
        return spelt
    value = option.metavar or option.type.name.upper()
    if isinstance(option.type, click.Choice):
        value = r"\|".join(option.type.choices)
    return f"{spelt} {value}"


def _default(option: click.Option) -> str:
    return f"`{option.default}`" if option.show_default and option.default is not None else ""


def _help(option: click.Option) -> str:
    return " ".join((option.help or "").split()).replace("|", r"\|")


def _paragraphs(text: str | None) -> str:
    return "\n\n".join(" ".join(part.split()) for part in (text or "").strip().split("\n\n"))


def _markdown(rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


PARTS: dict[str, Callable[[], str]] = {
    "layers": layer_table,
    "commands": command_reference,
}


def rewritten(text: str) -> str:
    """Return a page with its generated parts as they should be."""
    return _PART.sub(lambda part: f"{part[1]}\n{PARTS[part['name']]()}\n\n{part[3]}", text)


def part_names(text: str) -> list[str]:
    """Return the names of the generated parts of a page, in order."""
    return [part["name"] for part in _PART.finditer(text)]


def pages_with_parts() -> Iterator[Path]:
    """Yield the pages that hold generated parts."""
    for page in sorted((PROJECT / "docs").rglob("*.md")):
        if part_names(page.read_text("utf-8")):
            yield page


if __name__ == "__main__":
    for written in pages_with_parts():
        written.write_text(rewritten(written.read_text("utf-8")), "utf-8")
        print(written)
