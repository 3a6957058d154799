"""Builds of strangers' bots: confined, limited, and none the worse for it."""

import os
import shutil
from pathlib import Path

import pytest

from arena import builder
from arena.builder import StepResult, run_step
from arena.sandbox import Basic, Off, Sandbox
from arena.sandbox.building import step_runner

pytestmark = [pytest.mark.processes, pytest.mark.sandbox]

BASH = str(shutil.which("bash"))


def step(sandbox: Sandbox, folder: Path, script: str, seconds: float = 30, **settings: str) -> StepResult:
    environment = {"PATH": os.defpath, **settings}
    return step_runner(sandbox)((BASH, "-c", script), folder, environment, seconds)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "unfinished" / "bot"
    found.mkdir(parents=True, mode=0o700)
    found.parent.chmod(0o700)
    return found


def test_a_step_works_in_its_folder(sandbox: Sandbox, folder: Path) -> None:
    (folder / "source").write_text("text")
    script = "umask 077; cp source made && mkdir sub && cp source sub/x && chmod +x made && echo fine"
    assert step(sandbox, folder, script) == StepResult(0, "fine")
    assert (folder / "sub" / "x").read_text() == "text"
    for path in (folder / "made", folder / "sub" / "x", folder):
        assert path.stat().st_uid == os.geteuid(), "it is ours again"
    assert os.access(folder / "made", os.X_OK)


def test_what_was_built_can_be_read_by_the_bots_user(shut: Sandbox, folder: Path) -> None:
    assert step(shut, folder, "umask 077; echo x >made; mkdir sub; ln -s /etc/shadow link").status == 0
    if os.geteuid() == 0:
        assert [(folder / name).stat().st_mode & 0o777 for name in ("made", "sub")] == [0o644, 0o755]
    shadow = Path("/etc/shadow")
    assert not shadow.exists() or shadow.stat().st_mode & 0o007 == 0, "a link must not be followed"


def test_nothing_else_can_be_read_or_written(shut: Sandbox, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("canary")
    script = f"cat {tmp_path}/secret; echo x >{tmp_path}/outside; echo x >/usr/outside; cat /etc/shadow; true"
    done = step(shut, folder, script, HOME=str(tmp_path))
    assert done.status == 0
    assert "canary" not in done.output
    assert not (tmp_path / "outside").exists()
    assert not Path("/usr/outside").exists()


def test_there_is_no_network(shut: Sandbox, folder: Path) -> None:
    assert "not supported" in step(shut, folder, "echo x >/dev/tcp/127.0.0.1/22").output


def test_caches_of_a_step_are_gone_when_it_is_over(shut: Sandbox, folder: Path) -> None:
    assert step(shut, folder, 'mktemp -d && touch "$HOME/note" && ls -a >made').status == 0
    assert [path.name for path in folder.iterdir()] == ["made"]


def test_a_step_that_takes_too_long_is_ended(sandbox: Sandbox, folder: Path) -> None:
    assert step(sandbox, folder, "echo begun; sleep 100", 0.7) == StepResult(None, "begun")


def test_a_failure_is_told_with_its_last_words(sandbox: Sandbox, folder: Path) -> None:
    assert step(sandbox, folder, "echo first; echo error: no >&2; exit 3") == StepResult(
        3, "first\nerror: no"
    )


def test_a_step_reads_the_end_of_its_input(sandbox: Sandbox, folder: Path) -> None:
    assert step(sandbox, folder, "cat; echo over").output == "over"


def test_a_step_that_never_stops_talking_is_ended(sandbox: Sandbox, folder: Path) -> None:
    done = step(sandbox, folder, "while :; do echo more and more; done", 1.0)
    assert done.status is None
    assert len(done.output) < 20_000


def test_a_step_that_fills_the_disk_is_ended(
    sandbox: Sandbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "FOLDER_BYTES", 8 << 20)
    script = "for i in {1..40}; do head -c 1000000 /dev/zero >file$i; sleep 0.05; done; sleep 20"
    done = step(sandbox, folder, script)
    assert done.status == 137
    assert "wrote more than 8 MiB" in done.output


def test_without_a_sandbox_steps_run_as_they_are() -> None:
    assert step_runner(Off()) is run_step
    assert step_runner(Basic()) is not run_step
