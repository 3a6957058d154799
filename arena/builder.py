"""Building a bot: each step is a program with a time limit, whose output is drained and kept in part."""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.bot import BotError, Command
from arena.toolchains import resolve
from arena.workspace import cache_folder

BUILD_SECONDS = 180.0
"""For one step. An optimising compiler on a busy machine needs tens of seconds for one bot."""
_KEPT_BYTES = 16 * 1024
_KEPT_LINES = 20
"""The end of a compiler's output names the error; the rest is drained and dropped."""
_PASSED_ON = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME"),
    *("JAVA_HOME", "GOROOT", "GOPATH", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"),
)
"""What compilers look for; nothing else of the user's environment reaches a bot's build."""


@dataclass(frozen=True)
class StepResult:
    """How one step ended: its exit status (None when it was ended at the time limit), its last output."""

    status: int | None
    output: str


StepRunner = Callable[[Command, Path, Mapping[str, str], float], StepResult]
"""Runs (words, folder, environment, seconds); a sandbox puts its own in the place of `run_step`."""


def build(steps: tuple[Command, ...], folder: Path, runner: StepRunner | None = None) -> None:
    """Carry out the steps in the folder; raises BotError with the last lines of the first that fails."""
    for words in steps:
        result = (runner or run_step)(resolve(words, folder), folder, _environment(), BUILD_SECONDS)
        if result.status == 0:
            continue
        shown = " ".join(words)
        how = (
            f"did not finish within {BUILD_SECONDS:.0f} seconds"
            if result.status is None
            else f"failed with status {result.status}"
        )
        said = f"; its last lines were:\n{result.output}" if result.output else " and said nothing"
        raise BotError(f"the build step {shown[:200]!r} {how}{said}")


def _environment() -> dict[str, str]:
    passed = {key: os.environ[key] for key in _PASSED_ON if key in os.environ}
    go_cache = cache_folder() / "go-build"
    # A bot's build never reaches for the network: Go's flags say so, as nothing else here would.
    return {
        **passed,
        "GOCACHE": str(go_cache),
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
    }


def run_step(words: Command, folder: Path, environment: Mapping[str, str], seconds: float) -> StepResult:
    """Run one program in a process group of its own, which is ended as a whole when the step is over."""
    try:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return StepResult(127, str(error))
    kept = bytearray()
    try:
        finished = _drain(process, kept, time.monotonic() + seconds)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        assert process.stdout is not None
        process.stdout.close()
    return StepResult(status if finished else None, _last_lines(bytes(kept)))


def _drain(process: subprocess.Popen[bytes], kept: bytearray, deadline: float) -> bool:
    """Read the output until the program has ended; False when the deadline came first."""
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    is_open = True
    while time.monotonic() < deadline:
        # A step that has ended may leave a child that holds the pipe: its exit is what counts.
        if process.poll() is not None and not (is_open and select.select([descriptor], [], [], 0)[0]):
            return True
        if not is_open:
            time.sleep(0.01)
        elif select.select([descriptor], [], [], 0.05)[0]:
            chunk = os.read(descriptor, 65536)
            is_open = bool(chunk)
            kept += chunk
            del kept[:-_KEPT_BYTES]
    return False


def _last_lines(output: bytes) -> str:
    text = output.decode("utf-8", "replace")
    lines = ["".join(c if c.isprintable() or c == "\t" else "?" for c in line) for line in text.splitlines()]
    return "\n".join(line.rstrip()[:300] for line in lines[-_KEPT_LINES:]).strip("\n")
