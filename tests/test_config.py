"""What pyproject.toml may say to Wind Tunnel, and what is said when it says something else."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.config import CacheCheck, Gate, Ladder, Rates, Settings, load, parse
from wt_git.errors import EXIT_USAGE, ConfigurationError

WHOLE = """
[project]
name = "agent"
[tool.windtunnel.ladder]
probe_budget_s = 60
focused_budget_s = 120.5
max_cost = 2.50
reserve_per_run = 1
[tool.windtunnel.ladder.models]
probe = ["small"]
regression = ["large", "huge"]
[tool.windtunnel.ladder.pricing]
time_per_hour = 2.5
[tool.windtunnel.ladder.pricing.models]
small = { input_per_m = 0.1, output_per_m = 0 }
[tool.windtunnel.ladder.pricing.models."large 2"]
input_per_m = 3
output_per_m = 15
cache_read_per_m = 0.3
time_per_hour = 4
[tool.windtunnel.cache]
fail_on_miss = true
min_cached_ratio = 1
[tool.windtunnel.another]
anything = "goes"
"""


def read(folder, text):
    (folder / "pyproject.toml").write_text(text)
    return load(folder)


def refusal(folder, text):
    with pytest.raises(ConfigurationError) as refused:
        read(folder, text)
    assert refused.value.exit_code == EXIT_USAGE
    assert refused.value.message.startswith(f"{folder}/pyproject.toml: ")
    assert "\n" not in refused.value.message
    return refused.value.message.removeprefix(f"{folder}/pyproject.toml: ")


def test_a_file_with_everything(tmp_path):
    """Every key arrives, money exactly as written."""
    settings = read(tmp_path, WHOLE)
    assert settings.file == tmp_path / "pyproject.toml"
    assert settings.ladder.probe_budget_s == 60.0
    assert settings.ladder.focused_budget_s == 120.5
    assert str(settings.ladder.max_cost) == "2.50"
    assert settings.ladder.reserve_per_run == Decimal(1)
    assert isinstance(settings.ladder.reserve_per_run, Decimal)
    assert settings.ladder.models == {"probe": ("small",), "regression": ("large", "huge")}
    assert settings.ladder.pricing.time_per_hour == Decimal("2.5")
    assert settings.ladder.pricing.models == {
        "small": Rates(input_per_m=Decimal("0.1"), output_per_m=Decimal(0)),
        "large 2": Rates(
            input_per_m=Decimal(3),
            output_per_m=Decimal(15),
            cache_read_per_m=Decimal("0.3"),
            time_per_hour=Decimal(4),
        ),
    }
    assert settings.cache == CacheCheck(fail_on_miss=True, min_cached_ratio=1.0)


@pytest.mark.parametrize(
    "text", ["", "[tool]", "[tool.windtunnel]", '[tool.windtunnel]\nnotes = "x"']
)
def test_nothing_configured_means_the_defaults(tmp_path, text):
    """Caps of five and fifteen minutes, any model, no prices, no cache check."""
    settings = read(tmp_path, text)
    assert settings.ladder == Ladder(probe_budget_s=300.0, focused_budget_s=900.0)
    assert settings.ladder.pricing is None
    assert settings.ladder.max_cost is None
    assert settings.ladder.reserve_per_run is None
    assert settings.cache is None


def test_an_empty_table_is_configured(tmp_path):
    """Pricing and cache check are on as soon as their table exists."""
    settings = read(tmp_path, "[tool.windtunnel.ladder.pricing]\n[tool.windtunnel.cache]")
    assert settings.ladder.pricing.time_per_hour == 0
    assert settings.ladder.pricing.models == {}
    assert settings.cache == CacheCheck(fail_on_miss=False, min_cached_ratio=0.5)


@pytest.mark.parametrize("key", ["max_cost", "reserve_per_run"])
def test_money_needs_prices(tmp_path, key):
    """An amount means something beside a table of prices, an empty one too, and only there."""
    message = refusal(tmp_path, f"[tool.windtunnel.ladder]\n{key} = 0")
    assert message == (
        f"[tool.windtunnel.ladder] {key} = 0: needs a [tool.windtunnel.ladder.pricing] table: "
        "nothing has a price"
    )
    text = f"[tool.windtunnel.ladder]\n{key} = 0\n[tool.windtunnel.ladder.pricing]"
    assert getattr(read(tmp_path, text).ladder, key) == 0


LADDER = "[tool.windtunnel.ladder]"
PRICES = "[tool.windtunnel.ladder.pricing]"
SMALL = "[tool.windtunnel.ladder.pricing.models.small]"
CACHE = "[tool.windtunnel.cache]"


@pytest.mark.parametrize(
    ("table", "line", "problem"),
    [
        (LADDER, 'probe_budget_s = "soon"', "greater than 0"),
        (LADDER, "probe_budget_s = true", "greater than 0"),
        (LADDER, "probe_budget_s = 0", "greater than 0"),
        (LADDER, "focused_budget_s = -1", "greater than 0"),
        (LADDER, "focused_budget_s = nan", "greater than 0"),
        (LADDER, "focused_budget_s = inf", "greater than 0"),
        (LADDER, "focused_budget_s = 1e999", "greater than 0"),
        (LADDER, "focused_budget_s = []", "greater than 0"),
        (LADDER, "max_cost = -1", "non-negative number"),
        (LADDER, "max_cost = nan", "non-negative number"),
        (LADDER, "max_cost = inf", "non-negative number"),
        (LADDER, "max_cost = true", "non-negative number"),
        (LADDER, 'max_cost = "2"', "non-negative number"),
        (LADDER, "reserve_per_run = -0.01", "non-negative number"),
        (LADDER, "reserve_per_run = []", "non-negative number"),
        (LADDER, "max_costs = 3", "did you mean max_cost?"),
        (LADDER, "models = 3", "expected a table"),
        (LADDER, 'pricing = "cheap"', "expected a table"),
        (LADDER, "prob_budget_s = 3", "did you mean probe_budget_s?"),
        (LADDER, "Models = 3", "did you mean models?"),
        (LADDER, "max = 3", "expected one of probe_budget_s, focused_budget_s, models, pricing"),
        ("[tool.windtunnel.ladder.models]", 'fast = ["x"]', "is not a tier"),
        ("[tool.windtunnel.ladder.models]", 'focussed = ["x"]', "did you mean focused?"),
        ("[tool.windtunnel.ladder.models]", "probe = []", "non-empty list"),
        ("[tool.windtunnel.ladder.models]", 'probe = "small"', "non-empty list"),
        ("[tool.windtunnel.ladder.models]", 'probe = [" "]', "non-empty list"),
        ("[tool.windtunnel.ladder.models]", "probe = [3]", "non-empty list"),
        (PRICES, "time_per_hour = -0.5", "non-negative number"),
        (PRICES, "time_per_hour = inf", "non-negative number"),
        (PRICES, "time_per_hour = false", "non-negative number"),
        (PRICES, "models = []", "models must be a table"),
        (PRICES, "hourly = 1", "expected one of time_per_hour, models"),
        ("[tool.windtunnel.ladder.pricing.models]", "small = 3", "expected a table of rates"),
        (SMALL, "input_per_m = 1\noutput_per_m = nan", "non-negative number"),
        (SMALL, "output_per_m = 1\ninput_per_m = -1", "non-negative number"),
        (SMALL, "input_per_m = 1\noutput_per_m = 1\ncache_read_per_m = []", "non-negative"),
        (SMALL, "input_per_m = 2\noutput_per_m = 1\ncache_write_per_m = 1", "at least input_per_m"),
        (SMALL, "input_per_m = 1\noutput_per_m = 1\ncache_per_m = 1", "no such key"),
        (CACHE, "fail_on_miss = 1", "expected true or false"),
        (CACHE, 'fail_on_miss = "yes"', "expected true or false"),
        (CACHE, "min_cached_ratio = true", "from 0 to 1"),
        (CACHE, "min_cached_ratio = 1.01", "from 0 to 1"),
        (CACHE, "min_cached_ratio = -0.1", "from 0 to 1"),
        (CACHE, "min_cached_ratio = nan", "from 0 to 1"),
        (CACHE, "min_cache_ratio = 1", "did you mean min_cached_ratio?"),
        ("[tool.windtunnel]", "ladder = 3", "expected a table"),
        ("[tool.windtunnel]", "cache = false", "expected a table"),
        ("[tool.windtunnel]", "lader = 3", "did you mean ladder?"),
        ("[tool.windtunnel]", "Cache = 3", "did you mean cache?"),
        ("[tool]", "windtunnel = 3", "expected a table"),
    ],
)
def test_a_refusal_names_the_place_the_value_and_what_was_expected(tmp_path, table, line, problem):
    """Nobody has to search for what is wrong, and nothing wrong is passed over."""
    message = refusal(tmp_path, f"{table}\n{line}")
    key, _, value = line.splitlines()[-1].partition(" = ")
    assert message.startswith(f"{table} {key} = ")
    if not value.startswith(("{", "1e999")):
        assert message.startswith(f"{table} {key} = {value}: ")
    assert problem in message


def test_a_misspelt_table_is_refused(tmp_path):
    """A table is a key like any other."""
    message = refusal(tmp_path, "[tool.windtunnel.ladder.modles]\nprobe = ['x']")
    assert message.startswith("[tool.windtunnel.ladder] modles = a table: ")
    assert "did you mean models?" in message


@pytest.mark.parametrize("missing", ["input_per_m", "output_per_m"])
def test_a_missing_rate_is_named(tmp_path, missing):
    """A model without a price for its input or output would look free."""
    given_rates = {"input_per_m", "output_per_m"} - {missing}
    message = refusal(tmp_path, SMALL + "".join(f"\n{rate} = 1" for rate in given_rates))
    assert message == f"{SMALL} {missing} is missing: expected a non-negative number"


def test_a_label_with_a_blank_is_quoted(tmp_path):
    """The place is spelt as the file spells it."""
    message = refusal(tmp_path, '[tool.windtunnel.ladder.pricing.models."gpt 4"]\ninput_per_m = 1')
    assert message.startswith('[tool.windtunnel.ladder.pricing.models."gpt 4"] output_per_m')


def test_a_long_value_is_cut(tmp_path):
    """A whole document in the place of a number does not fill the screen."""
    message = refusal(tmp_path, f'{LADDER}\nprobe_budget_s = "{"x" * 500}"')
    assert len(message) < 200


@pytest.mark.parametrize(
    "content", [b"[tool.windtunnel", b"\xff\xfe", b"a = 1\na = 2", b"\xef\xbb\xbf[tool]"]
)
def test_a_file_that_is_no_toml_is_refused(tmp_path, content):
    """A broken file does not switch a policy off."""
    (tmp_path / "pyproject.toml").write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml: is not valid TOML"):
        load(tmp_path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    """Neither does one that cannot be opened."""
    (tmp_path / "pyproject.toml").mkdir()
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml: cannot be read"):
        load(tmp_path)


def test_a_nearer_file_without_a_table_hides_nothing(repo):
    """In a repository of several packages the settings may stand at its top."""
    repo.write({"pyproject.toml": WHOLE, "pkg/pyproject.toml": "[project]", "pkg/src/a": ""})
    assert load(repo.path / "pkg/src").file == repo.path / "pyproject.toml"


def test_the_nearest_table_is_the_only_one(repo):
    """Settings of two files are never mixed."""
    repo.write({"pyproject.toml": WHOLE, "pkg/pyproject.toml": "[tool.windtunnel.cache]"})
    settings = load(repo.path / "pkg")
    assert settings.file == repo.path / "pkg/pyproject.toml"
    assert settings.ladder == Ladder()


def test_the_search_ends_at_the_top_of_the_repository(repo):
    """A file above the repository is not part of it, so it changes nothing in it."""
    (repo.path.parent / "pyproject.toml").write_text(WHOLE)
    assert load(repo.path) == Settings()
    repo.write({"pyproject.toml": "[project]"})
    assert load(repo.path) == Settings()


def test_a_linked_worktree_is_a_top(repo, tmp_path):
    """There `.git` is a file."""
    repo.commit("one")
    (tmp_path / "pyproject.toml").write_text(WHOLE)
    repo.git("worktree", "add", "--quiet", str(tmp_path / "side"))
    assert load(tmp_path / "side") == Settings()


def test_outside_a_repository_the_nearest_file_decides(tmp_path):
    """Without a top there is nothing that two files belong to."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(WHOLE)
    assert load(tmp_path / "a/b").ladder.probe_budget_s == 60.0
    (tmp_path / "a/pyproject.toml").write_text("[project]")
    assert load(tmp_path / "a/b") == Settings()


_values = st.recursive(
    st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
_keys = st.sampled_from(
    (
        "probe_budget_s",
        "models",
        "pricing",
        "max_cost",
        "reserve_per_run",
        "time_per_hour",
        "fail_on_miss",
        "min_cached_ratio",
        "input_per_m",
        "output_per_m",
        "probe",
        "x",
    )
)
_tables = st.sampled_from(
    (LADDER, PRICES, SMALL, CACHE, "[tool.windtunnel.ladder.models]", "[tool.windtunnel]")
)


@given(content=st.dictionaries(_tables, st.dictionaries(_keys, _values, max_size=4)))
def test_any_content_gives_settings_or_one_clear_refusal(content, tmp_path_factory):
    """Whatever the tables hold, the answer is settings or a line that names file and place."""
    folder = tmp_path_factory.getbasetemp() / "any-config"
    folder.mkdir(exist_ok=True)
    lines = []
    for table, entries in content.items():
        lines += [table, *(f"{key} = {json.dumps(value)}" for key, value in entries.items())]
    (folder / "pyproject.toml").write_text("\n".join(lines))
    problem = _problem(folder)
    assert problem is None or problem.startswith(f"{folder}/pyproject.toml: ")


def _problem(folder):
    try:
        assert load(folder).ladder.probe_budget_s > 0
    except ConfigurationError as error:
        return error.message
    return None


GATE = "[tool.windtunnel.gate]\n"
WHOLE_GATE = """
[tool.windtunnel]
notes_ref = "refs/notes/windtunnel"
[tool.windtunnel.gate]
branches = ["main", "release/*"]
require = "regression"
runtime = "my_runtime"
commits = "each"
not_under_test = ["docs/**", "*.md"]
push_notes = false
push_timeout_s = 2.5
pre_commit = "refuse"
trailer = true
merge = "head"
packs = ["orders"]
"""


def test_a_gate_with_everything(tmp_path):
    """Every key arrives."""
    settings = read(tmp_path, WHOLE_GATE)
    assert settings.notes_ref == "refs/notes/windtunnel"
    assert settings.gate == Gate(
        branches=("main", "release/*"),
        require="regression",
        runtime="my_runtime",
        commits="each",
        not_under_test=("docs/**", "*.md"),
        push_notes=False,
        push_timeout_s=2.5,
        pre_commit="refuse",
        trailer=True,
        merge="head",
        packs=("orders",),
    )


def test_the_gate_of_those_who_say_nothing(tmp_path):
    """Focused evidence for every branch's tip, on the whole tree."""
    assert read(tmp_path, GATE).gate == Settings().gate == Gate()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("requires = 'focused'", "did you mean require?"),
        ("brunches = ['main']", "did you mean branches?"),
        ("require = 'probe'", "expected one of focused, regression"),
        ("require = true", "expected one of focused, regression"),
        ("commits = 'all'", "expected one of tip, each"),
        ("merge = 'Head'", "did you mean head?"),
        ("pre_commit = false", "expected one of warn, off, refuse"),
        ("branches = 'main'", "expected a list of branches"),
        ("branches = []", "leave the key out"),
        ("branches = ['']", "expected a list of branches"),
        ("branches = ['../x']", "not a path"),
        ("runtime = ''", "expected the name of a runtime"),
        ("runtime = ['a']", "expected the name of a runtime"),
        ("not_under_test = 'docs'", "expected a list of paths"),
        ("not_under_test = [1]", "expected a list of paths"),
        ("not_under_test = ['/docs']", "not a path"),
        ("not_under_test = ['a/../b']", "not a path"),
        ("push_notes = 1", "expected true or false"),
        ("trailer = 'no'", "expected true or false"),
        ("push_timeout_s = 0", "greater than 0"),
        ("push_timeout_s = inf", "greater than 0"),
        ("push_timeout_s = true", "greater than 0"),
        ("packs = ['a', ' ']", "expected a list of packs"),
    ],
)
def test_what_a_gate_may_not_hold(tmp_path, line, said):
    """Refused by table, key, value and expectation."""
    message = refusal(tmp_path, GATE + line)
    assert message.startswith(f"[tool.windtunnel.gate] {line.split(' ')[0]} = ")
    assert said in message


@pytest.mark.parametrize(
    "pattern", ["pyproject.toml", "*", "**", "*.toml", "**/pyproject.toml", "py[p]roject.t?ml"]
)
def test_a_pattern_that_takes_the_policy_itself(tmp_path, pattern):
    """What is not under test would otherwise decide what is not under test."""
    message = refusal(tmp_path, f'{GATE}not_under_test = ["docs/**", "{pattern}"]')
    assert f"{pattern!r} takes pyproject.toml" in message


@pytest.mark.parametrize("pattern", ["docs/**", "*/pyproject.toml", "pyproject.tom", "PYPROJECT.*"])
def test_patterns_that_leave_the_policy_alone(tmp_path, pattern):
    """Case counts, and so does the folder."""
    settings = read(tmp_path, f'{GATE}not_under_test = ["{pattern}"]')
    assert settings.gate.not_under_test == (pattern,)


@pytest.mark.parametrize(
    "ref",
    [
        "windtunnel/notes",
        "refs/windtunnel",
        "refs/heads/notes",
        "refs/tags/notes",
        "refs/windtunnel/remotes/origin/notes",
        "refs/notes/wind tunnel",
        "refs/notes/*",
        "refs/notes/a..b",
        "refs/notes/a.lock",
        "refs/notes/",
        "refs/notes//a",
        "refs/notes/.a",
        "refs/notes/a\\\\b",
        "refs/notes/a~1",
    ],
)
def test_refs_that_notes_cannot_stand_at(tmp_path, ref):
    """No remote takes one of two levels, git allows not every name, and some have another use."""
    assert "expected a ref" in refusal(tmp_path, f'[tool.windtunnel]\nnotes_ref = "{ref}"')


def test_branches_are_matched_like_refs():
    """A star stops at a slash; without a list every branch is meant."""
    gate = Gate(branches=("main", "release/*"))
    asked = {name: gate.asks_about(name) for name in ("main", "release/1", "release/1/x", "mainly")}
    assert asked == {"main": True, "release/1": True, "release/1/x": False, "mainly": False}
    assert Gate().asks_about("anything/at/all")


def test_the_gate_is_that_of_the_top_of_the_repository(tmp_path):
    """A nearer file has the rest; one that would have a gate of its own is refused."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text(GATE + 'runtime = "top"\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    settings = read(inner, "[tool.windtunnel.ladder]\nprobe_budget_s = 7\n")
    assert (settings.gate.runtime, settings.ladder.probe_budget_s) == ("top", 7.0)
    for text in (GATE, '[tool.windtunnel]\nnotes_ref = "refs/notes/x"\n'):
        assert "only the pyproject.toml at the top" in refusal(inner, text)


def test_the_settings_of_a_commit():
    """They are read from its bytes, and a refusal says whose they are."""
    assert parse(WHOLE_GATE.encode(), "that of abc").gate.packs == ("orders",)
    assert parse(b"", "that of abc") == Settings()
    for data in (b"\xff", b"[tool", b"[tool.windtunnel.gate]\nx = 1"):
        with pytest.raises(ConfigurationError, match="that of abc"):
            parse(data, "that of abc")


@given(st.text(max_size=20))
def test_a_misspelt_gate_is_never_passed_over(key):
    """Whatever the key: known, or refused."""
    line = f"{json.dumps(key, ensure_ascii=True)} = 1"
    known = set(Gate._fields)
    if key in known or "\\u" in line:
        return
    with pytest.raises(ConfigurationError, match=r"no such key|is not valid TOML"):
        parse((GATE + line).encode(), "x")
