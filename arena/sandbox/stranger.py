"""When the arena runs as root: a bot runs as a user that nobody else is, and still finds its own files.

Root's user id is exempt from the limit on processes and owns nearly everything, so no bot may have it. A
stranger in turn may not even walk to a folder below `/root`: what it needs from such places is first bound to
a place of its own, in a tree of mounts that only the new process has.
"""

import ctypes
import itertools
import os
import shutil
import stat
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from arena.workspace import MAX_BYTES, MAX_FILES

STAGE = Path("/sys")
"""Covered in the new process's own tree of mounts: always there, and never the source of what a bot needs."""
PREFERRED = range(1_879_048_192, 1_895_825_408)
"""User ids that no system hands out: above those of containers, below half of the range."""

_NEW_MOUNTS = 0x00020000
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_NOSUID_NODEV = 2 | 4
_libc = ctypes.CDLL(None, use_errno=True)
_numbers = itertools.count()


@cache
def stranger_ids(uid_map: str | None = None) -> range:
    """User ids that bots may get; empty when we are not root or have no other id to give."""
    if os.geteuid() != 0:
        return range(0)
    text = Path("/proc/self/uid_map").read_text(encoding="ascii") if uid_map is None else uid_map
    for line in text.splitlines():
        first, _, count = (int(word) for word in line.split())
        mapped = range(first, first + count)
        if PREFERRED[0] in mapped and PREFERRED[-1] in mapped:
            return PREFERRED
        if 65_000 in mapped and 60_100 in mapped:  # a container with the usual 65,536 ids
            return range(60_100, 65_000)
    return range(0)


def next_stranger(ids: range) -> int:
    """Another id for each start, so that no two bots share what the kernel counts for each user."""
    return ids[(os.getpid() * 512 + next(_numbers)) % len(ids)]


def can_walk_to(path: Path) -> bool:
    """Whether a stranger gets as far as the path, whatever it may do there."""
    return _first_closed(path) is None


def _first_closed(path: Path) -> Path | None:
    """The first folder on the way to a path that a stranger cannot walk through."""
    for parent in reversed(path.parents):
        try:
            if not parent.stat().st_mode & stat.S_IXOTH:
                return parent
        except FileNotFoundError:
            return None  # it is still to be made
        except OSError:
            return parent
    return None


def is_open_to_all(path: Path) -> bool:
    """Whether a stranger can walk to the path and read it; not asked of what is inside."""
    try:
        status = path.stat()
    except OSError:
        return False
    if not can_walk_to(path):
        return False
    wanted = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(status.st_mode) else 0)
    return status.st_mode & wanted == wanted


def is_open_inside(folder: Path) -> bool:
    """Whether everything in a folder, and the folder itself, can be read by all; a huge one passes."""
    if folder.is_file():
        return bool(folder.stat().st_mode & stat.S_IROTH)
    wanted = stat.S_IROTH | stat.S_IXOTH
    seen = 0
    for root, _, names in os.walk(folder):
        seen += len(names)
        if seen > MAX_FILES:
            break
        if os.stat(root).st_mode & wanted != wanted:  # noqa: PTH116 - called for every folder
            return False
        for name in names:
            try:
                if not os.stat(f"{root}/{name}").st_mode & stat.S_IROTH:  # noqa: PTH116
                    return False
            except OSError:
                continue  # a link to nowhere
    return True


def check_copy(folder: Path) -> None:
    """Raises OSError when a folder is too much to be copied for every start of a bot."""
    size = count = 0
    for root, _, names in os.walk(folder):
        count += len(names)
        size += sum(os.lstat(f"{root}/{name}").st_size for name in names)
        if count > MAX_FILES or size > MAX_BYTES:
            raise OSError(
                f"{folder} must be readable for all users: it is too big to be copied for each start"
            )


def reachable(source: Path, staged: list[tuple[Path, bool]] | None, *, whole: bool = False) -> Path:
    """The source as the bot's user can name it; what it cannot reach is entered among the staged.

    With `whole`, all that is inside must be readable, too, or the bot gets a copy.
    """
    if staged is None:
        return source
    copied = whole and not is_open_inside(source)
    if is_open_to_all(source) and not copied:
        return source
    if copied:
        check_copy(source)
    staged.append((source, copied))
    return staged_path(len(staged) - 1)


@cache
def can_bind() -> bool:
    """Whether a new process may have a tree of mounts of its own, found out by making one."""
    pid = os.fork()
    if pid == 0:
        try:
            become(PREFERRED[0], ((Path("/usr"), False),))()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def become(
    uid: int, staged: Sequence[tuple[Path, bool]] = (), *, in_place: bool = False
) -> Callable[[], None]:
    """What a new process does last before it turns into the wrapper: bind `staged`, become that user.

    The source with index i appears as `staged_path(i)`; with True beside it, as a copy that all may read;
    with `in_place`, under its own name as well. The function runs between fork and exec, and raises OSError.
    """
    closed = {found for source, _ in staged if in_place and (found := _first_closed(source)) is not None}
    # The shortest first: what lies inside another is bound on top of it.
    places = sorted(enumerate(source for source, _ in staged), key=lambda place: len(place[1].parts))

    def run() -> None:
        if staged:
            _check(_libc.unshare(_NEW_MOUNTS))
            _mount(None, Path("/"), None, _RECURSIVE | _PRIVATE)
            _mount("stage", STAGE, "tmpfs", _NOSUID_NODEV, "mode=755")
            for index, (source, copied) in enumerate(staged):
                _stage(source, staged_path(index), copied=copied)
        for folder in closed:
            _mount("way", folder, "tmpfs", _NOSUID_NODEV, "mode=755")
        os.umask(0o022)  # others have to walk what is made here
        for index, source in places if in_place else ():
            source.parent.mkdir(parents=True, exist_ok=True)
            _stage(staged_path(index), source, copied=False)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)

    return run


def staged_path(index: int) -> Path:
    """Where the source with this index is bound."""
    return STAGE / str(index)


def _stage(source: Path, target: Path, *, copied: bool) -> None:
    if copied:
        _copy_for_all(source, target)
        return
    if source.is_dir():
        target.mkdir(exist_ok=True)
    elif not target.exists():
        target.touch()
    _mount(str(source), target, None, _BIND | _RECURSIVE)


def _copy_for_all(source: Path, target: Path) -> None:
    """Copy a folder or file so that everybody can read it; links stay links."""
    if source.is_file():
        shutil.copyfile(source, target)
        target.chmod(0o755 if source.stat().st_mode & 0o111 else 0o644)
        return
    shutil.copytree(source, target, symlinks=True)
    for root, _, names in os.walk(target):
        Path(root).chmod(0o755)
        for name in names:
            path = Path(root, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o111 else 0o644)


def _mount(source: str | None, target: Path, kind: str | None, flags: int, data: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    _check(_libc.mount(texts[0], texts[1], texts[2], flags, texts[3]))


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
