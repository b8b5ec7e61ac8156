"""The page's own files, put together as they stand in the page, and what the browser may do with them."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

HERE = Path(__file__).parent
FILES = {
    "style": (
        "colours",
        "text",
        "controls",
        "signs",
        "tables",
        "failures",
        "costs",
        "detail",
        "print",
    ),
    "script": (
        "elements",
        "signs",
        "report",
        "cell",
        "run",
        "detail",
        "comparison",
        "matrix",
        "address",
    ),
}
"""What the style sheet and the script of the page are made of, in their order."""


def style() -> str:
    """Return the one style sheet of the page."""
    return "\n".join(_read(f"style/{name}.css") for name in FILES["style"])


def script() -> str:
    """Return the one script of the page. What its files declare stays inside it."""
    body = "\n".join(_read(f"script/{name}.js") for name in FILES["script"])
    return f'"use strict";\n(() => {{\n{body}}})();\n'


def policy(style: str, script: str) -> str:
    """Return what a browser may do with the page: apply this style and run this script, no more.

    It may load nothing, send nothing, and may not take any text for markup.
    """
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _read(name: str) -> str:
    return (HERE / name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
