"""The layers of the package: who may import whom, held by the table in layers.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import tomli
from kit.imports import Package, cycle, read_package, underscore_uses

HERE = Path(__file__).parent
TABLE = tomli.loads((HERE / "layers.toml").read_text())
LEAVES = TABLE["leaves"]
PACKAGES = TABLE["packages"]


@pytest.fixture(scope="module")
def package() -> Package:
    """Every import statement of wt_git."""
    return read_package(HERE.parent / "wt_git")


def layer(module: str) -> str:
    """The first part of a module's name below the package: its row in the table."""
    return module.removeprefix("wt_git.").partition(".")[0]


def below_root(module: str) -> str:
    return module.removeprefix("wt_git.")


def is_ours(module: str) -> bool:
    return module.partition(".")[0] == "wt_git"


def covers(allowed: str, module: str) -> bool:
    return f"{below_root(module)}.".startswith(f"{allowed}.")


def allowed_imports(importer: str, *, only_types: bool) -> list[str]:
    """What `importer` may import besides its own package and the leaves."""
    row = layer(importer)
    if row in LEAVES["modules"]:
        return LEAVES["imports"].get(row, [])
    rules = PACKAGES[row]
    return [
        *rules["imports"],
        *rules.get("facades", {}).get(below_root(importer), []),
        *(rules.get("only_types", []) if only_types else []),
    ]


def test_the_table_has_a_row_for_each_package_and_no_other(package):
    """A new package is placed in the table before it is written, a removed one leaves it."""
    found = {layer(module) for module in package.modules if module != "wt_git"}
    assert found == {*PACKAGES, *LEAVES["modules"]}


@pytest.mark.parametrize("row", [*PACKAGES, *LEAVES["modules"]])
def test_a_package_imports_only_what_its_row_names(package, row):
    """Imports inside functions count; of ours, everybody may import the leaves."""
    violations = [
        str(found)
        for found in package.imports
        if layer(found.importer) == row
        and is_ours(found.imported)
        and found.imported != "wt_git"
        and layer(found.imported) != row
        and not (row in PACKAGES and layer(found.imported) in LEAVES["modules"])
        and not any(
            covers(allowed, found.imported)
            for allowed in allowed_imports(found.importer, only_types=found.only_types)
        )
    ]
    assert violations == []


@pytest.mark.parametrize("row", [*PACKAGES, *LEAVES["modules"]])
def test_a_package_uses_only_the_third_parties_of_its_row(package, row):
    """What costs start-up time or ties us to somebody else stays where it is needed."""
    allowed = (
        PACKAGES[row]["third_party"] if row in PACKAGES else LEAVES["third_party"].get(row, [])
    )
    violations = [
        str(found)
        for found in package.imports
        if layer(found.importer) == row
        and not is_ours(found.imported)
        and not found.only_types
        and (top := found.imported.partition(".")[0]) not in sys.stdlib_module_names
        and top not in allowed
    ]
    assert violations == []


def test_nobody_imports_what_is_found_by_name(package):
    """Runtimes, tool servers, scenarios and classifiers are plugins; the bench works without any of them."""
    found_by_name = {"mcp", "runtimes", "scenarios", "triage"}
    violations = [
        str(found)
        for found in package.imports
        if is_ours(found.imported)
        and layer(found.imported) in found_by_name
        and layer(found.importer) != layer(found.imported)
        and (layer(found.importer), layer(found.imported)) != ("runtimes", "mcp")
    ]
    assert violations == []


def test_nothing_of_ours_imports_a_facade(package):
    """A facade is for users; inside, the module that holds the code is imported."""
    facades = {f"wt_git.{name}" for rules in PACKAGES.values() for name in rules.get("facades", {})}
    violations = [
        str(found)
        for found in package.imports
        if found.imported in facades and found.importer != "wt_git.api"  # its table of names
    ]
    assert violations == []


def test_modules_are_imported_and_not_package_roots(package):
    """A package's own names are for users. The version and the program's entry stand at roots."""
    violations = [
        str(found)
        for found in package.imports
        if found.imported in package.modules
        and package.is_package(found.imported)
        and found.imported != "wt_git"
        and (layer(found.importer), found.imported) != ("__main__", "wt_git.cli")
        and layer(found.importer) != layer(found.imported)
    ]
    assert violations == []


def test_the_imports_form_no_cycle(package):
    """Every module can be read after those that it needs."""
    assert cycle(package) == []


def test_no_module_uses_an_underscore_name_of_another(package):
    """What begins with an underscore can be changed by looking at one file."""
    assert list(underscore_uses(package)) == []


def test_nothing_is_imported_that_does_not_exist(package):
    """Imports inside functions are not noticed by starting the program."""
    missing = [
        str(found)
        for found in package.imports
        if is_ours(found.imported) and found.imported not in package.modules
    ]
    assert missing == []


def test_the_api_loads_neither_runtimes_nor_tool_servers():
    """Also not through a chain of modules: an author's import is cheap and side-effect free."""
    program = (
        "import sys, wt_git.api, wt_git.spi, wt_git.scenarios\n"
        "[getattr(wt_git.api, name) for name in wt_git.api.__all__]\n"
        "wt_git.scenarios.builtin_packs()\n"
        "print(sorted(m for m in sys.modules if m.startswith(('wt_git.mcp', 'wt_git.runtimes'))))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert printed.strip() == "[]"


@pytest.fixture
def sample(tmp_path):
    """A made-up package in which every kind of violation occurs once."""
    sources = {
        "pkg/__init__.py": "",
        "pkg/a.py": "from pkg import b\nb._secret()\n",
        "pkg/b.py": "def f():\n    from pkg.sub.c import value\n    from pkg.a import _hidden\n",
        "pkg/sub/__init__.py": "",
        "pkg/sub/c.py": "if TYPE_CHECKING:\n    import pkg.a\nimport httpx.client\n",
        "pkg/_alias/pkg2/__init__.py": "import pkg.nothing",
    }
    for name, source in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    return read_package(tmp_path / "pkg")


def test_the_reader_sees_every_kind_of_import(sample):
    """At the top, inside functions, of modules, of names, and those for the type checker."""
    assert {(f.importer, f.imported, f.name, f.only_types) for f in sample.imports} == {
        ("pkg.a", "pkg.b", None, False),
        ("pkg.b", "pkg.sub.c", "value", False),
        ("pkg.b", "pkg.a", "_hidden", False),
        ("pkg.sub.c", "pkg.a", None, True),
        ("pkg.sub.c", "httpx.client", None, False),
    }


def test_the_reader_finds_cycles_and_underscores(sample):
    """A cycle through a function counts; one through types alone does not."""
    assert cycle(sample) == ["pkg.a", "pkg.b", "pkg.a"]
    assert sorted(underscore_uses(sample)) == [
        "pkg.a:2 uses pkg.b._secret",
        "pkg.b:3 imports pkg.a._hidden",
    ]
