"""Figures of the package's structure: `python tests/kit/figures.py [folder of a checkout]`.

Modules, lines, functions, classes by kind, imports inside functions, import cycles, and how often
docstrings use words that make a reader stop. `tests/test_house.py` keeps some of them in bounds.
"""

from __future__ import annotations

import ast
import re
import statistics
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

VAGUE = re.compile(r"\b(?:what|whoever|whatever|nobody|somebody|whose|of whom)\b", re.IGNORECASE)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DOCUMENTED = (ast.Module, ast.ClassDef, *_FUNCTIONS)


@dataclass(frozen=True)
class Module:
    """One file of the package, parsed."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return self.text.count("\n")


def read_modules(checkout: Path) -> list[Module]:
    """Return every module of `wt_git` but the alias, by name."""
    found = []
    for path in sorted((checkout / "wt_git").rglob("*.py")):
        if "_alias" not in path.parts:
            name = ".".join(path.relative_to(checkout).with_suffix("").parts)
            text = path.read_text(encoding="utf-8")
            found.append(Module(name.removesuffix(".__init__"), path, text, ast.parse(text)))
    return found


def docstrings(modules: list[Module]) -> list[str]:
    """Return all docstrings."""
    nodes = (node for one in modules for node in ast.walk(one.tree))
    found = (ast.get_docstring(node) for node in nodes if isinstance(node, _DOCUMENTED))
    return [text for text in found if text]


def vague_per_thousand(modules: list[Module]) -> float:
    """Return how many of 1,000 words in docstrings are vague ones."""
    words = vague = 0
    for text in docstrings(modules):
        words += len(re.findall(r"[A-Za-z']+", text))
        vague += len(VAGUE.findall(text))
    return 1000 * vague / words


def imported(module: Module, names: set[str]) -> set[str]:
    """Return the modules that `module` imports, anywhere in it, also only for types."""
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in names else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return (found & names) - {module.name}


def late_imports(module: Module) -> int:
    """Return how many import statements stand inside functions."""
    functions = (node for node in ast.walk(module.tree) if isinstance(node, _FUNCTIONS))
    inside = (part for function in functions for part in ast.walk(function))
    return len({id(one) for one in inside if isinstance(one, (ast.Import, ast.ImportFrom))})


def cycles(modules: list[Module]) -> list[list[str]]:
    """Return the groups of modules that import each other in a circle."""
    names = {one.name for one in modules}
    needs = {one.name: imported(one, names) for one in modules}
    while free := [name for name, others in needs.items() if not others & needs.keys()]:
        for name in free:
            del needs[name]
    found: list[list[str]] = []
    for name in sorted(needs):
        circle = sorted(other for other in _reach(name, needs) if name in _reach(other, needs))
        if circle and circle not in found:
            found.append(circle)
    return found


def _reach(start: str, needs: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    left = [start]
    while left:
        for name in needs.get(left.pop(), ()):
            if name not in seen:
                seen.add(name)
                left.append(name)
    return seen


def class_kinds(modules: list[Module]) -> Counter[str]:
    """Return how many classes are made each way."""
    kinds: Counter[str] = Counter()
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                kinds[_kind(node)] += 1
    return kinds


def _kind(node: ast.ClassDef) -> str:
    if any("dataclass" in ast.unparse(one) for one in node.decorator_list):
        return "dataclass"
    bases = " ".join(ast.unparse(base) for base in node.bases)
    for word, kind in (
        ("Struct", "msgspec"),
        ("NamedTuple", "NamedTuple"),
        ("Record", "msgspec"),
        ("BaseModel", "pydantic"),
        ("Document", "msgspec"),
        ("TypedDict", "TypedDict"),
        ("Protocol", "Protocol"),
        ("Enum", "Enum"),
    ):
        if word in bases:
            return kind
    return "error" if re.search(r"(Error|Exception)\b", bases) else "plain class"


def main(checkout: Path) -> None:
    """Print the figures of `checkout`."""
    modules = read_modules(checkout)
    functions = [
        node for one in modules for node in ast.walk(one.tree) if isinstance(node, _FUNCTIONS)
    ]
    sizes = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]
    names = {one.name for one in modules}
    readers = Counter(name for one in modules for name in imported(one, names))
    folders = Counter(one.path.parent for one in modules)
    largest, entries = folders.most_common(1)[0]
    print(f"modules            {len(modules)}")
    print(f"lines              {sum(one.lines for one in modules)}")
    print(f"median module      {statistics.median(one.lines for one in modules):.0f} lines")
    print(f"one reader, < 60   {sum(readers[m.name] == 1 and m.lines < 60 for m in modules)}")
    print(f"fullest folder     {entries} modules, {largest.relative_to(checkout)}")
    print(f"functions          {len(functions)}, median {statistics.median(sizes):.0f} lines")
    print(f"noqa               {sum(len(re.findall('# noqa', one.text)) for one in modules)}")
    print(f"late imports       {sum(late_imports(one) for one in modules)}")
    print(f"import cycles      {len(cycles(modules))}")
    print(f"vague words        {vague_per_thousand(modules):.1f} of 1,000 in docstrings")
    print(f"classes            {dict(class_kinds(modules).most_common())}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
