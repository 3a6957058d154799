"""Where a user's bots and results are, and reading the files of a bot. The edge: this touches the disk."""

import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from arena.bot import BotError

MAX_FILES = 2000
MAX_BYTES = 64 * 1024 * 1024
"""A bot larger than these is a mistake (a virtual environment, a log) or an attack on the disk."""
_IGNORED = frozenset(
    (
        "__pycache__",
        "__MACOSX",
        ".DS_Store",
        ".git",
        ".hg",
        ".svn",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
    )
)
"""What tools leave in a folder while one works there; never part of a bot."""

File = tuple[str, bool, bytes]
"""A file of a bot: its name relative to the bot's folder, whether it is executable, and its content."""


@dataclass(frozen=True)
class Workspace:
    """A folder with `bots/` and `results/`.

    Submitted bots have a folder of their own inside `bots/`: in a checkout of the arena itself the bundled
    bots are beside it.
    """

    home: Path

    @property
    def submitted(self) -> Path:
        """One folder for each submitted bot, with one folder for each version."""
        return self.home / "bots" / "submitted"

    @property
    def results(self) -> Path:
        """The store, and a folder for each tournament."""
        return self.home / "results"


def open_workspace(home: Path | None = None) -> Workspace:
    """The workspace at `home`, else at `$ARENA_HOME`, else in the current folder. Nothing is created."""
    chosen = home if home is not None else Path(os.environ.get("ARENA_HOME") or ".")
    return Workspace(chosen.expanduser().absolute())


def cache_folder() -> Path:
    """Where compiled bots are kept: `$XDG_CACHE_HOME/grid-arena`, or a private temporary folder."""
    base = os.environ.get("XDG_CACHE_HOME")
    folder = (Path(base) if base else Path.home() / ".cache") / "grid-arena"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    folder = Path(tempfile.gettempdir()) / f"grid-arena-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise BotError(f"{folder} belongs to somebody else: set XDG_CACHE_HOME to a folder of yours")
    return folder


def is_ignored(name: str) -> bool:
    """Whether a file, by its relative name, is what a tool left there and no part of the bot."""
    return name.endswith(".pyc") or not _IGNORED.isdisjoint(name.split("/"))


def read_file(path: Path) -> File:
    """A lone file as (name, executable, content); raises BotError when it is too large."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise BotError(f"{path} is not a file")
    if status.st_size > MAX_BYTES:
        raise BotError(f"{path} is larger than {MAX_BYTES // 2**20} MiB")
    return path.name, bool(status.st_mode & 0o111), path.read_bytes()


def read_folder(folder: Path) -> list[File]:
    """All files below a folder as (relative name, executable, content), sorted by name.

    Links are followed only to files inside the folder; raises BotError for other links, for things that are
    not files, and for a folder beyond the limits.
    """
    files: list[File] = []
    inside = folder.resolve()
    size = 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _IGNORED)
        for name in [*names, *(n for n in folders if (Path(root) / n).is_symlink())]:
            path = Path(root) / name
            written = path.relative_to(folder).as_posix()
            if is_ignored(written):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(inside):
                raise BotError(f"{written} is a link that points outside the folder of the bot")
            if not path.is_file():
                raise BotError(f"{written} is not an ordinary file")
            size += path.stat().st_size
            if size > MAX_BYTES or len(files) >= MAX_FILES:
                raise BotError(
                    f"{folder} has more than {MAX_FILES:,} files or {MAX_BYTES // 2**20} MiB: "
                    "give the arena a folder with the bot alone"
                )
            files.append((written, *read_file(path)[1:]))
    return sorted(files)


def write_files(files: list[File], folder: Path) -> None:
    """Write what `read_folder` gave into an existing folder."""
    for name, executable, content in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if executable else 0o644)
