"""Every import statement of a package, read from its source without running it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Import:
    """Module `importer` imports module `imported`, by full names, and `name` from it if any.

    `only_types`: under `if TYPE_CHECKING`. Where `name` is itself a module of the package,
    `imported` is that module and `name` is None.
    """

    importer: str
    imported: str
    name: str | None
    only_types: bool
    line: int

    def __str__(self) -> str:
        what = self.imported if self.name is None else f"{self.imported}.{self.name}"
        return f"{self.importer}:{self.line} imports {what}"


@dataclass(frozen=True)
class Package:
    """The modules of a package (full name to file) and what they import, inside functions too."""

    name: str
    modules: dict[str, Path]
    imports: list[Import]

    def is_package(self, module: str) -> bool:
        """Say whether `module` is a folder with an `__init__`."""
        return self.modules[module].name == "__init__.py"


def read_package(root: Path, *, without: str = "_alias") -> Package:
    """Read the package in the folder `root`, except its subfolder `without`."""
    modules = {
        _module_name(root, path): path
        for path in sorted(root.rglob("*.py"))
        if without not in path.relative_to(root).parts
    }
    imports = [found for module in modules for found in _imports(module, modules)]
    return Package(root.name, modules, imports)


def underscore_uses(package: Package) -> Iterator[str]:
    """Yield each use of an underscore name of another module, imported or by attribute."""
    for found in package.imports:
        if found.name and _is_private(found.name) and found.imported in package.modules:
            yield str(found)
    for module, path in package.modules.items():
        tree = ast.parse(path.read_bytes())
        local = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if f"{node.module}.{alias.name}" in package.modules
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in local
                and _is_private(node.attr)
            ):
                yield f"{module}:{node.lineno} uses {local[node.value.id]}.{node.attr}"


def cycle(package: Package) -> list[str]:
    """Return a cycle among the imports that happen at run time; empty when there is none."""
    graph: dict[str, list[str]] = {module: [] for module in package.modules}
    for found in package.imports:
        if not found.only_types and found.imported in graph:
            graph[found.importer].append(found.imported)
    finished: set[str] = set()

    def search(module: str, path: list[str]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in finished:
            return []
        for following in graph[module]:
            if found := search(following, [*path, module]):
                return found
        finished.add(module)
        return []

    return next((found for module in graph if (found := search(module, []))), [])


def _module_name(root: Path, path: Path) -> str:
    parts = [root.name, *path.relative_to(root).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(module: str, modules: dict[str, Path]) -> Iterator[Import]:
    tree = ast.parse(modules[module].read_bytes())
    only_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named: list[tuple[str, str | None]] = [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} imports relatively"
            assert node.module is not None
            named = [(node.module, alias.name) for alias in node.names]
        else:
            continue
        for imported, name in named:
            whole = f"{imported}.{name}"
            target = (whole, None) if whole in modules else (imported, name)
            yield Import(module, *target, only_types=id(node) in only_types, line=node.lineno)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
