"""Loading an object that somebody named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wt_git.errors import LoadError
from wt_git.plugins.loading import Source, load, parse_source


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("a.b:C", Source("a.b", "C", is_path=False)),
        ("a.b:C.d", Source("a.b", "C.d", is_path=False)),
        ("x.py:C", Source("x.py", "C", is_path=True)),
        ("./dir/x:C", Source("./dir/x", "C", is_path=True)),
        ("C:\\dir\\x.py:PACK", Source("C:\\dir\\x.py", "PACK", is_path=True)),
        ("a.b", None),
        (":C", None),
        ("a:", None),
        ("x.py:", None),
        ("", None),
    ],
)
def test_a_source_is_a_module_or_a_path(spec: str, expected: Source | None) -> None:
    """A path ends in .py or has a slash; a missing half is not a source."""
    assert parse_source(spec) == expected


def _load(spec: str) -> object:
    source = parse_source(spec)
    assert source
    return load(source, "thing").value


COUNTING = "import builtins\nbuiltins.wt_count = getattr(builtins, 'wt_count', 0) + 1\nTHING = []\n"


@pytest.mark.parametrize("order", [["path", "dotted"], ["dotted", "path"], ["link", "path"]])
def test_one_file_is_executed_once_whichever_form_names_it(
    order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pack and a runtime in one file share their module-level state."""
    import builtins  # noqa: PLC0415

    monkeypatch.setattr(builtins, "wt_count", 0, raising=False)
    name = f"counted_{'_'.join(order)}"
    Path(f"{name}.py").write_text(COUNTING)
    Path("link.py").symlink_to(f"{name}.py")
    specs = {"path": f"{name}.py:THING", "dotted": f"{name}:THING", "link": "link.py:THING"}
    first, second = (_load(specs[form]) for form in order)
    assert first is second
    assert builtins.wt_count == 1  # type: ignore[attr-defined]


def test_a_file_named_by_its_path_may_import_from_the_working_directory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a module that was named by its dotted name may, whichever is loaded first."""
    monkeypatch.setattr(
        sys, "path", [place for place in sys.path if place not in {"", str(Path.cwd())}]
    )
    Path("desk_of_r").mkdir()
    Path("desk_of_r/rules.py").write_text("RULE = 'look it up'\n")
    Path("bench_of_r").mkdir()
    Path("bench_of_r/plugin.py").write_text("from desk_of_r.rules import RULE as THING\n")
    assert _load("bench_of_r/plugin.py:THING") == "look it up"


def test_the_working_directory_is_importable_for_dotted_names() -> None:
    """As it is for `python -m`, and as the installed command alone would not have it."""
    Path("local_module_xyz.py").write_text("THING = 5\n")
    assert _load("local_module_xyz:THING") == 5


def test_two_files_of_one_name_are_two_modules() -> None:
    """Packs are often called pack.py."""
    for folder in ("one", "two"):
        Path(folder).mkdir()
        Path(folder, "pack.py").write_text(f"THING = {folder!r}\n")
    assert [_load(f"{folder}/pack.py:THING") for folder in ("one", "two")] == ["one", "two"]


def test_a_module_that_failed_leaves_nothing_behind() -> None:
    """Mended, it loads."""
    path = Path("mended.py")
    path.write_text("raise RuntimeError('first\\nsecond')\n")
    before = set(sys.modules)
    with pytest.raises(
        LoadError, match=r"^could not load thing 'mended\.py:THING': .*: first \(at mended\.py:1\)$"
    ):
        _load("mended.py:THING")
    assert not [name for name in set(sys.modules) - before if "mended" in name]
    path.write_text("THING = 1\n")
    assert _load("mended.py:THING") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("THINK", "'things.py' has no 'THINK'; did you mean THING?"),
        ("absent", "'things.py' has no 'absent'"),
        ("THING.absent", "'int' object has no attribute 'absent'"),
    ],
)
def test_a_name_that_a_file_lacks_is_said_of_the_file(name: str, said: str) -> None:
    """Not of the module's name, which nobody typed."""
    Path("things.py").write_text("THING = 1\n")
    with pytest.raises(LoadError) as refused:
        _load(f"things.py:{name}")
    assert str(refused.value) == f"could not load thing 'things.py:{name}': AttributeError: {said}"


def test_a_module_that_makes_its_names_is_asked_for_them() -> None:
    """What it says of one that it cannot make stands."""
    Path("lazy.py").write_text(
        "def __getattr__(name):\n"
        "    if name == 'THING': return 1\n"
        "    raise AttributeError('it is asleep')\n"
    )
    assert _load("lazy.py:THING") == 1
    with pytest.raises(LoadError, match=r"AttributeError: it is asleep \(at lazy\.py:3\)$"):
        _load("lazy.py:THINK")
    Path("stand_in.py").write_text(
        "import sys\n"
        "class Things:\n"
        "    __slots__ = ()\n"
        "    THING = 2\n"
        "sys.modules[__name__] = Things()\n"
    )
    assert _load("stand_in:THING") == 2


@pytest.mark.parametrize(
    "text", ["raise SystemExit(2)", "import sys; sys.exit('bye')", "assert False", "1/0", "("]
)
def test_whatever_a_module_raises_is_a_load_error(text: str) -> None:
    """Even an attempt to end the process."""
    Path("bad.py").write_text(text)
    with pytest.raises(LoadError, match=r"could not load thing 'bad\.py:THING'"):
        _load("bad.py:THING")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1\nx.y.z", r"AttributeError: .* \(at broken\.py:2\)$"),
        ("def f(:\n    pass", r"SyntaxError: .* \(at broken\.py:1\)$"),
        (
            'from windtunnel.api import Scenario\n\nPACK = Scenario(name="s", prompt="p", target_fact=[])',
            r"'target_fact'(; did you mean target_facts\?|\. Did you mean 'target_facts'\?) \(at broken\.py:3\)$",
        ),
        (
            "from windtunnel.api import ScenarioPack\nPACK = ScenarioPack('p', scenario=[])",
            r"'scenario'(; did you mean scenarios\?|\. Did you mean 'scenarios'\?) \(at broken\.py:2\)$",
        ),
    ],
)
def test_what_fails_to_load_is_named_by_file_and_line(tmp_path, monkeypatch, code, said):
    """A wrong keyword of a public class has the near one beside it."""
    monkeypatch.chdir(tmp_path)
    Path("broken.py").write_text(code)
    with pytest.raises(LoadError, match=said):
        _load("broken.py:PACK")
