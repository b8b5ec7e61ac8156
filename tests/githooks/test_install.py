"""`wt init`: what it makes, what it leaves alone, and that git really runs what it put there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kit.commands import wt
from kit.repo import Repo, git, new_repo

from wt_git.githooks.hook_files import has_configured_hooks

NAMES = [
    "post-commit",
    "post-merge",
    "post-rewrite",
    "pre-commit",
    "pre-push",
    "prepare-commit-msg",
]
ECHO = '#!/bin/sh\necho "theirs: $(basename "$0") $*" >>"{log}"\ncat >>"{log}"\n'


@pytest.fixture
def remote(tmp_path) -> Path:
    """An empty bare repository."""
    path = tmp_path / "remote.git"
    path.mkdir()
    git(path, "init", "--quiet", "--bare")
    return path


@pytest.fixture
def project(tmp_path, remote) -> Repo:
    """A repository with one commit and the remote `origin`."""
    made = new_repo(tmp_path / "project", {"a.txt": "a\n"})
    made.git("remote", "add", "origin", str(remote))
    return made


def git_that_says(version: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Let `git version` answer so; all else is the real one's."""
    folder.mkdir()
    script = folder / "git"
    real = shutil.which("git")
    script.write_text(
        f'#!/bin/sh\n[ "$1" = version ] && {{ echo "git version {version}"; exit; }}\n'
        f'exec {real} "$@"\n'
    )
    script.chmod(0o755)
    patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def newer_git(tmp_path, monkeypatch) -> None:
    """A git that says it is one with hooks by configuration."""
    git_that_says("2.54.0", tmp_path / "newer", monkeypatch)


@pytest.fixture
def older_git(tmp_path, monkeypatch) -> None:
    """A git that says it is one without them."""
    git_that_says("2.53.0", tmp_path / "older", monkeypatch)


def init(repo: Repo, *options: str, code: int = 0) -> str:
    ran = wt("init", *options, cwd=repo.path)
    assert ran.code == code
    return ran.out


def installed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".sample"))


def foreign(path: Path, text: str) -> None:
    """A hook that somebody else put there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def tried(repo: Repo, *args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess:
    """Git, whatever it ends with."""
    return subprocess.run(
        ["git", *args],
        cwd=repo.path,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
    )


def test_one_command_sets_everything_up(project):
    """Hooks, the interpreter they use, notes in git log and git fetch, the runs directory ignored."""
    said = init(project)
    assert installed(project.path / ".git/hooks") == NAMES
    for name in NAMES:
        assert os.access(project.path / ".git/hooks" / name, os.X_OK)
        assert f"{name}:" in said
    assert project.git("config", "windtunnel.python") == sys.executable
    assert project.git("config", "windtunnel.remote") == "origin"
    assert project.git("config", "notes.displayRef") == "refs/windtunnel/notes*"
    assert project.git("config", "--get-all", "remote.origin.fetch").split("\n") == [
        "+refs/heads/*:refs/remotes/origin/*",
        "+refs/windtunnel/notes*:refs/windtunnel/remotes/origin/notes*",
    ]
    assert (project.path / ".gitignore").read_text() == "runs/\n"


def test_doing_it_again_changes_nothing(project):
    """It is the advice for every problem, so it must be safe."""
    init(project)
    config, ignored = (project.path / name for name in (".git/config", ".gitignore"))
    before = (config.read_bytes(), ignored.read_bytes(), installed(project.path / ".git/hooks"))
    said = init(project)
    assert "done" not in said
    assert before == (
        config.read_bytes(),
        ignored.read_bytes(),
        installed(project.path / ".git/hooks"),
    )


def test_fetch_pull_and_log_work_before_any_note_exists(project, tmp_path):
    """Exact names in the configuration would make git fail, or warn at every command."""
    project.git("push", "--quiet", "--no-verify", "origin", "main")
    clone = Repo(tmp_path / "clone")
    git(tmp_path, "clone", "--quiet", str(tmp_path / "remote.git"), "clone")
    init(clone)
    for command in (["fetch"], ["pull"], ["log", "-1"]):
        done = tried(clone, *command)
        assert (done.returncode, "warning" in done.stderr) == (0, False), done.stderr


def test_check_says_what_is_missing_and_changes_nothing(project):
    """Exit 1 until everything is there, 0 from then on."""
    before = (project.path / ".git/config").read_bytes()
    said = init(project, "--check", code=1)
    assert before == (project.path / ".git/config").read_bytes()
    assert installed(project.path / ".git/hooks") == []
    assert not (project.path / ".gitignore").exists()
    assert said.count("missing") >= len(NAMES) + 5
    init(project)
    assert "missing" not in init(project, "--check")


@pytest.mark.usefixtures("older_git")
@pytest.mark.parametrize(
    ("break_it", "named"),
    [
        (lambda repo: (repo.path / ".git/hooks/pre-push").unlink(), "pre-push"),
        (lambda repo: (repo.path / ".git/hooks/pre-push").chmod(0o644), "pre-push"),
        (lambda repo: foreign(repo.path / ".git/hooks/pre-push", "#!/bin/sh\n"), "pre-push"),
        (lambda repo: repo.git("config", "windtunnel.python", "/gone/python"), "/gone/python"),
        (lambda repo: repo.git("config", "windtunnel.python", "/bin/true"), "/bin/true"),
        (lambda repo: repo.git("config", "--unset", "notes.displayRef"), "displayRef"),
        (lambda repo: repo.git("config", "--unset", "windtunnel.remote"), "origin"),
        (
            lambda repo: repo.git("config", "--unset-all", "remote.origin.fetch", "windtunnel"),
            "fetch",
        ),
        (lambda repo: (repo.path / ".gitignore").unlink(), "runs/"),
        (lambda repo: repo.git("config", "core.hooksPath", "/dev/null"), "/dev/null"),
    ],
)
def test_check_names_each_thing_that_broke_since(project, break_it, named):
    """Whatever keeps a hook from firing is found before a push is let through."""
    init(project)
    break_it(project)
    lines = init(project, "--check", code=1).split("\n")
    assert [line for line in lines if line.startswith(("missing", "not done")) and named in line]


def test_an_older_script_of_ours_is_replaced(project):
    """It is no foreign hook, so nothing is chained."""
    init(project)
    path = project.path / ".git/hooks/pre-push"
    path.write_text("#!/bin/sh\n# wind-tunnel git hook: pre-push (an old one)\n")
    init(project)
    assert installed(project.path / ".git/hooks") == NAMES
    assert "wt_git hook pre-push" in path.read_text()


def test_a_hook_that_was_there_runs_with_the_same_arguments_and_input(project, tmp_path):
    """Byte for byte, as git-lfs needs them; ours comes in front of it."""
    log = tmp_path / "log"
    hook = project.path / ".git/hooks/pre-push"
    foreign(hook, ECHO.format(log=log))
    assert "pre-push.chained" in init(project)
    (project.path / "pyproject.toml").write_text(
        '[tool.windtunnel.gate]\nbranches = ["nothing-of-this-name"]\n'
    )
    project.commit("a policy that asks for nothing here")
    project.git("tag", "v1")
    done = tried(project, "push", "origin", "main", "v1")
    assert done.returncode == 0, done.stderr
    head = project.git("rev-parse", "HEAD")
    zeros = "0" * 40
    assert log.read_text().split("\n") == [
        f"theirs: pre-push.chained origin {tmp_path / 'remote.git'}",
        f"refs/heads/main {head} refs/heads/main {zeros}",
        f"refs/tags/v1 {head} refs/tags/v1 {zeros}",
        "",
    ]


def test_a_hook_that_was_there_still_refuses(project):
    """Its no is a no, with its own exit code and words."""
    foreign(project.path / ".git/hooks/pre-commit", "#!/bin/sh\necho theirs says no >&2\nexit 3\n")
    init(project)
    done = tried(project, "commit", "--allow-empty", "-m", "x")
    assert done.returncode == 1
    assert "theirs says no" in done.stderr


def test_a_link_that_was_there_still_points_where_it_did(project):
    """Hooks are often links into the working directory."""
    (project.path / "scripts").mkdir()
    foreign(project.path / "scripts/check", "#!/bin/sh\necho linked >&2\n")
    (project.path / ".git/hooks/pre-commit").symlink_to("../../scripts/check")
    init(project)
    assert "linked" in tried(project, "commit", "--allow-empty", "-m", "x").stderr
    assert (project.path / "scripts/check").read_text() == "#!/bin/sh\necho linked >&2\n"


def test_a_hook_that_git_passed_over_is_passed_over_still(project):
    """It was not executable, and is not made so."""
    hook = project.path / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    init(project)
    assert tried(project, "commit", "--allow-empty", "-m", "x").returncode == 0


def test_two_foreign_hooks_are_not_one_too_many(project):
    """When somebody put another hook over ours, none of the two is thrown away."""
    hook = project.path / ".git/hooks/pre-push"
    foreign(hook, "#!/bin/sh\necho one\n")
    init(project)
    foreign(hook, "#!/bin/sh\necho two\n")
    said = init(project, code=1)
    assert "keep one" in said
    assert "two" in hook.read_text()
    assert "one" in hook.with_name("pre-push.chained").read_text()


def test_a_tool_that_put_its_hook_back_is_chained_again(project):
    """`git lfs install --force` for one writes the very hook that was chained before."""
    hook = project.path / ".git/hooks/pre-push"
    foreign(hook, "#!/bin/sh\necho lfs\n")
    init(project)
    foreign(hook, "#!/bin/sh\necho lfs\n")
    init(project)
    assert "wt_git hook pre-push" in hook.read_text()
    assert "lfs" in hook.with_name("pre-push.chained").read_text()


@pytest.mark.parametrize("value", [".githooks", "./.githooks/"])
def test_a_hook_folder_in_the_working_directory(project, value):
    """A relative `core.hooksPath` counts from the top; the scripts are portable and can be committed."""
    project.git("config", "core.hooksPath", value)
    said = init(project)
    assert installed(project.path / ".githooks") == NAMES
    assert installed(project.path / ".git/hooks") == []
    assert "commit the hooks" in said
    assert fires(project)


def test_a_hook_folder_below_the_git_directory(project):
    """An absolute path inside this repository is its own."""
    folder = project.path / ".git/my-hooks"
    project.git("config", "core.hooksPath", str(folder))
    init(project)
    assert installed(folder) == NAMES
    assert fires(project)


@pytest.mark.usefixtures("older_git")
def test_a_hook_folder_that_repositories_share_is_not_written_to(project, tmp_path):
    """Hooks there would run in all of them: the answer says who set it and what can be done."""
    shared = tmp_path / "everybody's"
    shared.mkdir()
    git(project.path, "config", "--global", "core.hooksPath", str(shared))
    said = init(project, code=1)
    assert installed(shared) == []
    assert str(shared) in said
    assert ".gitconfig" in said
    assert "wt init --shared-hooks" in said


@pytest.mark.usefixtures("older_git")
def test_the_command_that_a_shared_folder_gets_you_works(project, tmp_path):
    """The refusal's last line can be pasted as it stands."""
    git(project.path, "config", "--global", "core.hooksPath", str(tmp_path / "shared"))
    (command,) = [line for line in init(project, code=1).split("\n") if "--local" in line]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, cwd=project.path, check=False, env={**os.environ, "PATH": path}
    )
    assert done.returncode == 0
    assert fires(project)


def test_hooks_in_a_shared_folder_pass_over_other_repositories(project, tmp_path):
    """Where `wt init` never ran, only the hook that was there before runs."""
    shared = tmp_path / "shared"
    foreign(shared / "pre-push", "#!/bin/sh\necho theirs >&2\n")
    git(project.path, "config", "--global", "core.hooksPath", str(shared))
    init(project, "--shared-hooks")
    assert fires(project)
    init(project, "--check")
    other = new_repo(tmp_path / "other", {"b.txt": "b\n"})
    done = tried(other, "push", str(tmp_path / "remote.git"), "main:other")
    assert (done.returncode, "wt pre-push" in done.stderr) == (0, False), done.stderr
    assert "theirs" in done.stderr


@pytest.mark.usefixtures("older_git")
@pytest.mark.parametrize("value", ["/dev/null", ""])
def test_hooks_that_are_switched_off(project, value):
    """Nothing would ever fire, so nothing is put anywhere and the answer is no."""
    project.git("config", "core.hooksPath", value)
    said = init(project, code=1)
    assert "git runs no hooks here" in said
    assert "git config --local core.hooksPath" in said


def test_a_hook_folder_of_the_worktree_alone(project, tmp_path):
    """Git's configuration can differ between worktrees of one repository."""
    project.git("config", "extensions.worktreeConfig", "true")
    project.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.git("config", "--worktree", "core.hooksPath", ".own")
    init(linked)
    assert installed(linked.path / ".own") == NAMES
    assert fires(linked)


def test_a_linked_worktree_shares_the_hooks(project, tmp_path):
    """They stand in the common directory, and no path of a worktree is baked into them."""
    project.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    init(linked)
    assert installed(project.path / ".git/hooks") == NAMES
    assert fires(project)
    assert fires(linked)
    for name in NAMES:
        text = (project.path / ".git/hooks" / name).read_text()
        assert str(tmp_path) not in text
        assert sys.executable not in text


def test_a_moved_repository_keeps_its_hooks(project, tmp_path):
    """No path of the repository is baked into them either."""
    init(project)
    moved = Repo(tmp_path / "moved elsewhere")
    shutil.move(project.path, moved.path)
    assert fires(moved)


def fires(repo: Repo) -> bool:
    """Whether a real push of a branch without evidence is refused by our hook."""
    done = tried(repo, "push", "origin", "HEAD:refs/heads/wanted")
    return done.returncode != 0 and "wt pre-push: " in done.stderr


def test_the_recorded_interpreter_may_be_gone_when_wt_is_on_the_path(project):
    """A virtual environment that was removed."""
    init(project)
    project.git("config", "windtunnel.python", "/gone/bin/python")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = tried(project, "push", "origin", "main", env={"PATH": path})
    assert done.returncode != 0
    assert "wt pre-push: " in done.stderr
    assert "/gone" not in done.stderr


def test_without_an_interpreter_a_push_is_refused_in_one_line(project, tmp_path):
    """Never a pass that nobody saw, never a hang."""
    init(project)
    project.git("config", "windtunnel.python", "/gone/bin/python")
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("git", "sh", "cat"):
        (tools / tool).symlink_to(shutil.which(tool))
    done = tried(project, "push", "origin", "main", env={"PATH": str(tools)})
    assert done.returncode != 0
    (line,) = [one for one in done.stderr.split("\n") if "wt pre-push" in one]
    assert "/gone/bin/python" in line
    assert "git push --no-verify" in line
    done = tried(project, "commit", "--allow-empty", "-m", "x", env={"PATH": str(tools)})
    assert done.returncode == 0
    assert "wt pre-commit: unchecked" in done.stderr


def test_modules_in_the_working_directory_are_not_imported(project):
    """Git starts hooks there, and a repository may well hold a folder of one of our names."""
    init(project)
    project.write({"wt_git/__init__.py": "raise SystemExit(7)", "click.py": "raise SystemExit(7)"})
    project.commit("names of ours")
    assert fires(project)


def test_a_bare_repository_gets_the_hook_of_a_server(remote):
    """And nothing that only makes sense where people commit."""
    ran = wt("init", cwd=remote)
    assert ran.code == 0
    assert installed(remote / "hooks") == ["pre-receive"]
    assert "displayRef" not in ran.out
    assert wt("init", "--check", cwd=remote).code == 0


def test_a_server_whose_default_branch_is_not_there(project, remote):
    """New branches are judged by its policy, so it had better be one."""
    server = Repo(remote)
    server.git("symbolic-ref", "HEAD", "refs/heads/gone")
    assert "HEAD is at" not in init(server), "nothing was pushed yet"
    (server.path / "hooks/pre-receive").unlink()
    project.git("push", "--quiet", "origin", "HEAD:refs/heads/trunk")
    said = init(server)
    assert "HEAD is at 'gone', which is not there" in said
    (hint,) = [line.strip() for line in said.split("\n") if "symbolic-ref" in line]
    server.git(*hint.split(" ")[1:])
    assert "HEAD is at" not in init(server)


def test_a_server_with_a_working_directory(project):
    """Only when it is asked for."""
    init(project, "--server")
    assert installed(project.path / ".git/hooks") == ["pre-receive"]


def test_the_remote_can_be_chosen(project, remote):
    """Notes go to one remote, and it is recorded."""
    project.git("remote", "add", "upstream", str(remote))
    init(project, "--remote", "upstream")
    assert project.git("config", "windtunnel.remote") == "upstream"
    assert "windtunnel" not in project.git("config", "--get-all", "remote.origin.fetch")
    init(project)  # what was recorded stays
    assert project.git("config", "windtunnel.remote") == "upstream"
    said = init(project, "--remote", "elsewhere", code=1)
    assert "origin, upstream" in said


def test_several_remotes_and_none_of_them_origin(tmp_path, remote):
    """Nobody guesses where evidence is published."""
    repo = new_repo(tmp_path / "r", {"a": "a"})
    for name in ("one", "two"):
        repo.git("remote", "add", name, str(remote))
    said = init(repo, code=1)
    assert "wt init --remote one" in said
    assert "wt init --remote two" in said


def test_without_a_remote_there_is_nothing_to_push_to_yet(repo):
    """That is fine, and said."""
    repo.commit("first")
    assert "no remote yet" in init(repo)


@pytest.mark.parametrize("content", ["", "build/", "build/\n", "build/\r\n"])
def test_the_runs_directory_is_added_to_the_ignored(project, content):
    """On a line of its own, after whatever stands there."""
    (project.path / ".gitignore").write_bytes(content.encode())
    init(project)
    assert project.git("check-ignore", "runs/x") == "runs/x"
    if content:
        assert project.git("check-ignore", "build/x") == "build/x"


def test_a_runs_directory_that_is_ignored_elsewhere_is_left_at_that(project):
    """`.git/info/exclude` and the user's own list count."""
    (project.path / ".git/info/exclude").write_text("runs\n")
    init(project)
    assert not (project.path / ".gitignore").exists()


def test_the_pre_commit_framework_gets_its_snippet(project):
    """Its own hook keeps running, and what could be pasted into its file is shown."""
    project.write({".pre-commit-config.yaml": "repos: []\n"})
    foreign(project.path / ".git/hooks/pre-commit", "#!/bin/sh\necho framework >&2\n")
    said = init(project)
    assert "entry: wt hook pre-push" in said
    assert "id: wt-verify" in said
    snippet = said.partition("    repos:\n")[2].replace("\n    ", "\n")
    project.write({".pre-commit-config.yaml": f"repos:\n{snippet}"})
    assert "has the hook, too" in init(project)
    assert "framework" in tried(project, "commit", "--allow-empty", "-m", "x").stderr


def test_the_framework_installed_over_ours_calls_ours(project):
    """It moves a hook that it finds to `.legacy` and runs it first; there is no loop in that."""
    init(project)
    hook = project.path / ".git/hooks/pre-push"
    hook.rename(hook.with_name("pre-push.legacy"))
    foreign(hook, '#!/bin/sh\nexec "$0.legacy" "$@"\n')
    assert "framework's hook calls" in init(project, "--check")
    assert fires(project)


def test_husky_is_told_what_to_add(project):
    """It rewrites its own folder at every install; the lines belong into the user's files."""
    project.git("config", "core.hooksPath", ".husky/_")
    (project.path / ".husky/_").mkdir(parents=True)
    said = init(project, code=1)
    assert installed(project.path / ".husky/_") == []
    commands = [line.strip() for line in said.split("\n") if line.startswith("    printf")]
    assert len(commands) == len(NAMES)
    for command in commands:
        subprocess.run(command, shell=True, check=True)
    assert (project.path / ".husky/pre-push").read_text() == 'wt hook pre-push "$@"\n'
    init(project)
    # Husky's files are committed: for somebody without wt, only the push is stopped.
    without_wt = {"PATH": os.defpath}
    for name in NAMES:
        done = subprocess.run(
            ["sh", "-e", project.path / ".husky" / name], check=False, env=without_wt
        )
        assert done.returncode == (127 if name == "pre-push" else 0), name


def test_outside_of_a_repository_there_is_nothing_to_set_up(tmp_path):
    """Asked wrongly: exit 2, and what to do."""
    ran = wt("init", cwd=tmp_path)
    assert ran.code == 2
    assert "git init" in ran.err


@pytest.mark.usefixtures("newer_git")
@pytest.mark.parametrize("kind", ["shared", "off"])
def test_a_git_with_configured_hooks_needs_no_folder(project, tmp_path, kind):
    """Where the folder of hooks is not ours to write, configuration names them."""
    shared = tmp_path / "shared"
    shared.mkdir()
    project.git("config", "core.hooksPath", str(shared) if kind == "shared" else "/dev/null")
    init(project)
    assert installed(shared) == []
    assert project.git("config", "hook.windtunnel-pre-push.event") == "pre-push"
    command = project.git("config", "hook.windtunnel-pre-push.command")
    done = subprocess.run(
        ["sh", "-c", f'{command} "$@"', command, "origin", "url"],
        cwd=project.path,
        input=f"HEAD {project.git('rev-parse', 'HEAD')} refs/heads/main {'0' * 40}\n",
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "wt pre-push: " in done.stderr
    init(project, "--check")


@pytest.mark.usefixtures("newer_git")
def test_a_folder_that_is_ours_is_used_by_a_newer_git_too(project):
    """Another git of the same machine, an editor's say, would pass over configured hooks."""
    init(project)
    assert installed(project.path / ".git/hooks") == NAMES
    assert tried(project, "config", "--get-regexp", "^hook[.]").returncode == 1


@pytest.mark.skipif(not has_configured_hooks(Path.cwd()), reason="this git has no such hooks")
@pytest.mark.parametrize("kind", ["shared", "off"])
def test_a_git_with_configured_hooks_runs_them(project, tmp_path, kind):
    """The real one, in a real push, beside what a shared folder holds."""
    shared = tmp_path / "shared"
    shared.mkdir()
    foreign(shared / "pre-push", "#!/bin/sh\necho shared >&2\n")
    project.git("config", "core.hooksPath", str(shared) if kind == "shared" else "/dev/null")
    init(project)
    assert fires(project)
    assert ("shared" in tried(project, "push", "origin", "main").stderr) == (kind == "shared")
