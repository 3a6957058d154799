"""Build steps of strangers' bots in the sandbox: no network, nothing writable but the build folder."""

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from arena.bot import Bot, Command, Source
from arena.builder import StepResult, StepRunner, carry_out, run_step
from arena.sandbox import Caps, Launch, Off, Sandbox, resource_limits, stranger
from arena.sandbox.bwrap import Bwrap, Plan, start
from arena.sandbox.choice import choose
from arena.sandbox.landlock import Fence, Landlock
from arena.sandbox.landlock import start as start_fenced
from arena.sandbox.visible import BOT, View, view_of

BUILD_CAPS = Caps(
    memory_bytes=2 << 30,
    processes=256,
    tmp_bytes=512 << 20,
    open_files=1024,
    file_bytes=128 << 20,
    cpu_s=600,
)
"""More than a match allows: an optimising compiler works with many threads, hundreds of files and a GiB."""
_TOOL_FOLDERS = ("JAVA_HOME", "GOROOT", "RUSTUP_HOME")
_SCRATCH = ".arena-build"
"""Where a fenced step has its caches: in its folder, so that they count as what it writes."""


def step_runner(sandbox: Sandbox | None = None) -> StepRunner:
    """What carries out build steps where bots run in this sandbox, by default the strongest there is."""
    if sandbox is None:
        sandbox = choose("auto", Caps()).sandbox
    if isinstance(sandbox, Off):
        return run_step
    if isinstance(sandbox, Landlock):
        return _fenced
    return _apart if isinstance(sandbox, Bwrap) else _limited


def _limited(words: Command, folder: Path, environment: Mapping[str, str], seconds: float) -> StepResult:
    """Run a step with limits on what it takes; it can read files and use the network."""
    launch = Launch(
        words,
        tuple(environment.items()),
        folder,
        rlimits=resource_limits(BUILD_CAPS),
        memory_bytes=BUILD_CAPS.memory_bytes,
        processes=BUILD_CAPS.processes,
    )
    return carry_out(launch, folder, seconds)


def _apart(words: Command, folder: Path, environment: Mapping[str, str], seconds: float) -> StepResult:
    """Run a step in namespaces of its own, where it can write to its folder only."""
    uid = _builder()
    settings = _settings(environment, "/tmp")  # noqa: S108 - inside the sandbox
    view, own = _view(words, folder, settings), ((folder, BOT),)
    plan = Plan(words, tuple(settings.items()), view, own, BUILD_CAPS, writable=True, uid=uid)
    try:
        with _owned_by(uid, folder):
            return carry_out(start(plan), folder, seconds)
    except OSError as error:
        return StepResult(127, str(error))


def _fenced(words: Command, folder: Path, environment: Mapping[str, str], seconds: float) -> StepResult:
    """Run a step behind Landlock, where it can write to its folder only."""
    uid, scratch = _builder(), folder / _SCRATCH
    settings = _settings(environment, str(scratch))
    shown = _view(words, folder, settings).shown
    own, variables = (folder,), tuple(settings.items())
    fence = Fence(words, variables, folder, shown, own, BUILD_CAPS, writable=True, uid=uid)
    try:
        scratch.mkdir(exist_ok=True)
        with _owned_by(uid, folder):
            return carry_out(start_fenced(fence), folder, seconds)
    except OSError as error:
        return StepResult(127, str(error))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _builder() -> int | None:
    """The user that builds when we are root."""
    ids = stranger.stranger_ids()
    return stranger.next_stranger(ids) if ids else None


def _view(words: Command, folder: Path, settings: Mapping[str, str]) -> View:
    view = view_of(Bot("build", "", words, folder, source=Source.SUBMITTED))
    tools = (Path(settings[name]) for name in _TOOL_FOLDERS if name in settings)
    return View(
        (*view.shown, *(path for path in tools if path.is_dir() and not view.holds(path))), view.links
    )


def _settings(environment: Mapping[str, str], scratch: str) -> dict[str, str]:
    """The environment of a step. Caches are its own, or one bot's build could change what another's makes."""
    settings = {key: value for key, value in environment.items() if key != "XDG_CACHE_HOME"}
    toolchains = Path(settings.get("HOME", "/nonexistent"), ".rustup")
    if toolchains.is_dir():
        settings.setdefault("RUSTUP_HOME", str(toolchains))
    own = {"HOME": "", "TMPDIR": "", "GOCACHE": "/go-cache", "GOPATH": "/go", "CARGO_HOME": "/cargo"}
    return settings | {key: f"{scratch}{folder}" for key, folder in own.items()}


@contextlib.contextmanager
def _owned_by(uid: int | None, folder: Path) -> Iterator[None]:
    """Lend a folder to the user that builds in it; afterwards it is ours again, and readable for all bots."""
    if uid is None:
        yield
        return
    us = os.geteuid(), os.getegid()
    _give(folder, uid, uid)
    try:
        yield
    finally:
        _give(folder, *us)
        for root, _, names in os.walk(folder):
            Path(root).chmod(0o755)
            for path in (Path(root, name) for name in names):
                if stat.S_ISREG(path.lstat().st_mode):
                    path.chmod(0o755 if path.stat().st_mode & 0o111 else 0o644)


def _give(folder: Path, uid: int, gid: int) -> None:
    os.chown(folder, uid, gid)
    for root, folders, names in os.walk(folder):
        for name in (*folders, *names):
            os.chown(f"{root}/{name}", uid, gid, follow_symlinks=False)
