"""What is installed from a wheel works outside the checkout: commands, bundled bots, protocol pages."""

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(*command, cwd, **more):
    # What this run was started with must not reach into the fresh environment.
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ARENA_", "VIRTUAL_ENV"))
    }
    result = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**environment, **more},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def build(kind, source, target):
    """Let hatchling, which tox or the test extra has installed, build without an environment of its own."""
    script = f"from hatchling.build import build_{kind}; print(build_{kind}({str(target)!r}))"
    return target / run(sys.executable, "-c", script, cwd=source).split()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel made from an sdist: what misses in the one misses in both."""
    folder = tmp_path_factory.mktemp("dist")
    sdist = build("sdist", ROOT, folder)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return build("wheel", folder / sdist.name.removesuffix(".tar.gz"), folder)


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The `bin` of a fresh environment with the wheel in it; dependencies come from the running one."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    installing = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile"]
    run(*installing, "--prefix", folder, "--ignore-installed", wheel, cwd=folder)
    # Behind the fresh site-packages, and without its .pth files: an editable install stays unseen.
    here = [path for path in sys.path if path.endswith("site-packages")]
    (site / "dependencies.pth").write_text("\n".join(here))
    return folder / "bin"


def python(installed, code):
    return run(installed / "python", "-c", code, cwd=installed.parent).strip()


def test_it_is_the_wheel_that_runs(installed):
    where = Path(python(installed, "import arena; print(arena.__file__)"))
    assert installed.parent in where.parents


def test_commands_run_outside_the_checkout(installed):
    # The console script names the interpreter that ran pip; the fresh one must run it.
    script = installed / "arena"
    assert os.access(script, os.X_OK)
    games = json.loads(run(installed / "python", script, "games", "--json", cwd=installed.parent))
    assert {"gridlock", "blockade"} <= {game["id"] for game in games}
    rules = run(installed / "python", "-m", "arena", "rules", "gridlock", cwd=installed.parent)
    assert rules.startswith("GridLock (gridlock)")


@pytest.mark.parametrize("name", ["bots", "protocol"])
def test_shipped_folders_arrive_whole_and_keep_their_run_bits(installed, name):
    folder = Path(python(installed, f"from arena.data import data_folder; print(data_folder({name!r}))"))
    assert installed.parent in folder.parents
    listed = subprocess.run(["git", "ls-files", name], cwd=ROOT, capture_output=True, text=True, check=False)
    files = [Path(line) for line in listed.stdout.splitlines() if (ROOT / line).exists()]
    if listed.returncode != 0:
        files = [path.relative_to(ROOT) for path in (ROOT / name).rglob("*") if path.is_file()]
    assert files
    for file in files:
        there = folder / file.relative_to(name)
        assert there.is_file(), f"{file} is not in the wheel"
        assert os.access(there, os.X_OK) == os.access(ROOT / file, os.X_OK), f"{file} changed its run bit"


def test_nothing_a_checkout_collects_travels_along(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "arena/py.typed" in names
    strays = [
        n for n in names if "__pycache__" in n or "/results/" in n or n.startswith(("tests/", "results/"))
    ]
    assert not strays


def test_the_wheel_names_its_command_and_what_it_needs(wheel):
    archive = zipfile.ZipFile(wheel)
    (entry_points,) = [n for n in archive.namelist() if n.endswith("entry_points.txt")]
    assert "arena = arena.cli:main" in archive.read(entry_points).decode()
    (metadata,) = [n for n in archive.namelist() if n.endswith("METADATA")]
    text = archive.read(metadata).decode()
    assert "Name: grid-arena\n" in text
    assert "Requires-Python: >=3.11\n" in text
