"""Building a bot: each step is a program with a time limit, whose output is drained and kept in part."""

import contextlib
import os
import select
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.bot import BotError, Command
from arena.process import BotProcess
from arena.sandbox import Launch
from arena.toolchains import resolve
from arena.workspace import cache_folder

BUILD_SECONDS = 180.0
"""For one step. An optimising compiler on a busy machine needs tens of seconds for one bot."""
FOLDER_BYTES = 512 << 20
"""What a build may leave in its folder, objects and all; a compiled bot has a few MiB."""
_TICK_S = 0.25
_LAST_WORDS_S = 0.05
_TOO_MUCH = 137
"""The status of a step that we ended: what a shell says of a program that was killed."""
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


def build(steps: tuple[Command, ...], folder: Path, runner: StepRunner) -> None:
    """Carry out the steps in the folder; raises BotError with the last lines of the first that fails."""
    for words in steps:
        result = runner(resolve(words, folder), folder, _environment(), BUILD_SECONDS)
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
    """Run one program as it is; all that it started is ended when the step is over."""
    return carry_out(Launch(words, tuple(environment.items()), folder), folder, seconds)


def carry_out(launch: Launch, folder: Path, seconds: float) -> StepResult:
    """Run a step that was made ready; its tree is ended as a whole, early when it takes too much."""
    deadline = time.monotonic() + seconds
    try:
        process = BotProcess(launch, stderr_kept=_KEPT_BYTES)
    except OSError as error:
        return StepResult(127, str(error))
    try:
        process.close_input()
        kept = bytearray()
        excess = ""
        while process.exit_code() is None and not excess and time.monotonic() < deadline:
            _drain(process, kept, min(deadline, time.monotonic() + _TICK_S))
            excess = _excess(process, folder)
        status = process.exit_code()
        _drain(process, kept, time.monotonic() + _LAST_WORDS_S)
        said = _last_lines(bytes(kept) + process.stderr_tail())
    finally:
        process.end()
    return StepResult(_TOO_MUCH, f"{said}\n{excess}".strip()) if excess else StepResult(status, said)


def _excess(process: BotProcess, folder: Path) -> str:
    """What the step takes too much of, in words."""
    if process.too_big(whole_tree=True):
        return f"it held more than {(process.memory_bytes or 0) >> 20} MiB of memory"
    size = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(f"{root}/{name}").st_size
    return f"it wrote more than {FOLDER_BYTES >> 20} MiB" if size > FOLDER_BYTES else ""


def _drain(process: BotProcess, kept: bytearray, until: float) -> None:
    """Read what the step says until that moment or its end: a child that it left may hold its output open."""
    ends = [process.stdout, process.stderr]
    while ends and (left := until - time.monotonic()) > 0:
        ready = select.select(ends, [], [], min(left, _LAST_WORDS_S))[0]
        if process.stderr in ready and not process.drain_stderr():
            ends.remove(process.stderr)
        if process.stdout in ready:
            chunk = os.read(process.stdout, 65536)
            kept += chunk
            del kept[:-_KEPT_BYTES]
            if not chunk:
                ends.remove(process.stdout)
        if not ready and process.exit_code() is not None:
            return
    process.exit_code(max(0.0, until - time.monotonic()))


def _last_lines(output: bytes) -> str:
    text = output.decode("utf-8", "replace")
    lines = ["".join(c if c.isprintable() or c == "\t" else "?" for c in line) for line in text.splitlines()]
    return "\n".join(line.rstrip()[:300] for line in lines[-_KEPT_LINES:]).strip("\n")
