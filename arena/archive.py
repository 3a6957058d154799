"""Opening archives that strangers made: everything is checked, and measured while it is unpacked, in memory.

Nothing is written to the disk here, no link is ever created: a link to a file of the archive becomes a copy.
"""

import contextlib
import gzip
import posixpath
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from arena.bot import BotError
from arena.workspace import MAX_BYTES, MAX_FILES, File, is_ignored

SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar")
_CHUNK = 1024 * 1024
_NAME_BYTES = 255
_DEPTH = 32
_LINK_HOPS = 8
_HEADERS = MAX_FILES * 4 * tarfile.BLOCKSIZE
"""What a tar file needs beside the content: a header, a long name and padding for each member."""
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    gzip.BadGzipFile,
    EOFError,
    NotImplementedError,
    RuntimeError,  # zipfile's word for an encrypted member
    ValueError,
    OSError,
)


@dataclass(frozen=True)
class _Member:
    """What an archive says of one thing in it, and how to read it; `link` is where a symbolic link leads."""

    name: str
    kind: str
    executable: bool
    content: Generator[bytes, None, None]
    link: str = ""


def is_archive(path: Path) -> bool:
    """Whether a file of this name is opened as an archive."""
    return path.name.lower().endswith(SUFFIXES)


def stem(path: Path) -> str:
    """The name of an archive without its suffix."""
    lower = path.name.lower()
    return next((path.name[: -len(s)] for s in SUFFIXES if lower.endswith(s)), path.stem)


def unpack(path: Path) -> list[File]:
    """The files of a .zip or .tar.gz, without a single folder around them all; raises BotError.

    Refused: absolute paths, `..`, links that point outside or to no file, hard links, devices, names with
    control characters, two things of one name, and more than `MAX_FILES` files or `MAX_BYTES` bytes in all.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise _too_big()
        reader = _zip_members if path.name.lower().endswith(".zip") else _tar_members
        with contextlib.closing(reader(path)) as members:
            return _without_top_folder(_collect(members))
    except BotError as error:
        raise BotError(f"{path.name} is refused: {error}") from None
    except _BROKEN as error:
        raise BotError(
            f"{path.name} cannot be opened as an archive: {str(error) or type(error).__name__}"
        ) from None


def _too_big() -> BotError:
    return BotError(f"it unpacks to more than {MAX_BYTES // 2**20} MiB")


def _collect(members: Iterator[_Member]) -> list[File]:
    files: dict[str, tuple[bool, bytes]] = {}
    links: dict[str, str] = {}
    folders: set[str] = set()
    size = 0
    for count, member in enumerate(members, 1):
        if count > MAX_FILES:
            raise BotError(f"it has more than {MAX_FILES:,} files")
        name = _checked(member.name)
        if member.kind not in ("file", "folder", "link"):
            raise BotError(f"{name!r} is a {member.kind}")
        if not name or member.kind == "folder":
            folders.add(name)
            continue
        if name in files or name in links:
            raise BotError(f"it has {name!r} twice")
        if member.kind == "link":
            links[name] = member.link
            continue
        content = bytearray()
        with contextlib.closing(member.content) as chunks:  # a refusal must not leave the archive open
            for chunk in chunks:
                size += len(chunk)
                if size > MAX_BYTES:
                    raise _too_big()
                content += chunk
        files[name] = (member.executable, bytes(content))
    for name in links:
        copied = files[_target(name, links, files)]
        size += len(copied[1])
        if size > MAX_BYTES:
            raise _too_big()
        files[name] = copied
    _check_tree(files, folders)
    return [(name, *rest) for name, rest in sorted(files.items()) if not is_ignored(name)]


def _checked(name: str) -> str:
    """The name in its plain form (`./a//b/` is `a/b`); raises BotError for one that is not safe."""
    shown = repr(name[:80])
    if not name.isprintable() or "\\" in name:
        raise BotError(f"the name {shown} has control characters or backslashes in it")
    if name.startswith("/"):
        raise BotError(f"the name {shown} is an absolute path")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise BotError(f"the name {shown} leads out of the archive with '..'")
    if len(parts) > _DEPTH or any(len(part.encode()) > _NAME_BYTES for part in parts):
        raise BotError(f"the name {shown} is too long or too deep")
    return "/".join(parts)


def _target(name: str, links: dict[str, str], files: dict[str, tuple[bool, bytes]]) -> str:
    """The file that a link leads to, through at most a few others."""
    at = name
    for _ in range(_LINK_HOPS):
        if at not in links:
            break
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(at), links[at]))
        if joined.startswith(("/", "..")):
            raise BotError(f"{name!r} is a link that points outside, to {links[at][:80]!r}")
        at = joined
    if at not in files or at in links:
        raise BotError(f"{name!r} is a link to {links[name][:80]!r}, which is no file of the archive")
    return at


def _check_tree(files: dict[str, tuple[bool, bytes]], folders: set[str]) -> None:
    """A name cannot be a file and a folder at once."""
    above = {str(parent) for name in files for parent in Path(name).parents} | folders
    for name in files:
        if name in above:
            raise BotError(f"it has {name!r} as a file and as a folder")


def _without_top_folder(files: list[File]) -> list[File]:
    if not files:
        raise BotError("it holds no files")
    tops = {name.partition("/")[0] for name, _, _ in files}
    if len(tops) == 1 and all("/" in name for name, _, _ in files):
        return [(name.partition("/")[2], executable, content) for name, executable, content in files]
    return files


def _zip_members(path: Path) -> Generator[_Member, None, None]:
    # zipfile builds the whole directory before we can count it; its entries are counted in the bytes first.
    # Content that is stored unpacked may hold the same bytes, so the bound has room for that.
    if path.read_bytes().count(b"PK\x01\x02") > 4 * MAX_FILES:
        raise BotError(f"it has more than {MAX_FILES:,} files")
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.flag_bits & 1:
                raise BotError(f"{info.filename[:80]!r} is encrypted")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BotError(f"{info.filename[:80]!r} is packed in an unusual way: use plain deflate")
            mode = info.external_attr >> 16
            kind = "folder" if info.is_dir() else _kind(mode)
            link = ""
            if kind == "link":
                with archive.open(info) as file:
                    link = file.read(4096).decode("utf-8", "replace")
            # zipfile cuts a name at a NUL; what was written is what has to be checked.
            name = info.orig_filename
            yield _Member(name, kind, bool(mode & 0o111), _zip_content(archive, info), link)


def _kind(mode: int) -> str:
    """What a Unix mode says; archives from elsewhere have none and hold ordinary files."""
    kinds = {0: "file", stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(mode), "device or pipe")


def _zip_content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Generator[bytes, None, None]:
    with archive.open(info) as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _tar_members(path: Path) -> Generator[_Member, None, None]:
    with contextlib.ExitStack() as stack:
        raw = stack.enter_context(path.open("rb"))
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        source = stack.enter_context(gzip.GzipFile(fileobj=raw)) if packed else raw
        measured = cast("IO[bytes]", _Measured(cast("IO[bytes]", source)))
        archive = stack.enter_context(tarfile.open(fileobj=measured, mode="r|"))
        for member in archive:
            yield _Member(
                member.name,
                _tar_kind(member),
                bool(member.mode & 0o111),
                _tar_content(archive, member),
                member.linkname,
            )


class _Measured:
    """A stream that may give only so many bytes in all, whatever any header says of itself."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._left = MAX_BYTES + _HEADERS

    def read(self, size: int) -> bytes:
        data = self._source.read(min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            raise _too_big()
        return data


def _tar_kind(member: tarfile.TarInfo) -> str:
    if member.issparse():
        return "sparse file"
    if member.isreg():
        return "file"
    if member.isdir():
        return "folder"
    if member.issym():
        return "link"
    return "hard link" if member.islnk() else "device or pipe"


def _tar_content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Generator[bytes, None, None]:
    if member.size > MAX_BYTES:
        raise _too_big()
    file = archive.extractfile(member)
    while file is not None and (chunk := file.read(_CHUNK)):
        yield chunk
