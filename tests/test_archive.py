"""Evil archives, one by one: each is refused with a sentence, and ordinary ones are opened."""

import gzip
import io
import stat
import tarfile
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena import archive
from arena.bot import BotError
from arena.submit import submit
from arena.workspace import MAX_BYTES, MAX_FILES

BOT = b"print('ready')\n"


def make_tar(path, *members):
    """Members are (name, content) or a TarInfo with content."""
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as tar:
        for name, content in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            if info.isreg():
                info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def tar_member(name, kind, link="", mode=0o644):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, link, mode
    return info, b""


def make_zip(path, *members, method=zipfile.ZIP_DEFLATED):
    """Members are (name, content) or (name, content, unix mode)."""
    with zipfile.ZipFile(path, "w", method) as packed:
        for name, content, *mode in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            info.create_system = 3
            info.external_attr = (mode[0] if mode else stat.S_IFREG | 0o644) << 16
            packed.writestr(info, content)
    return path


TARS = {
    "absolute path": ([("/etc/passwd", BOT)], "absolute path"),
    "parent folder": ([("a/../../bot.py", BOT)], "'..'"),
    "link to an absolute path": ([tar_member("bot.py", tarfile.SYMTYPE, "/etc/passwd")], "points outside"),
    "link out": ([tar_member("a/bot.py", tarfile.SYMTYPE, "../../secret")], "points outside"),
    "link chain out": (
        [tar_member("a", tarfile.SYMTYPE, "b"), tar_member("b", tarfile.SYMTYPE, "../x")],
        "points outside",
    ),
    "links in a circle": (
        [tar_member("a", tarfile.SYMTYPE, "b"), tar_member("b", tarfile.SYMTYPE, "a")],
        "no file of the archive",
    ),
    "link to a folder and a file through it": (
        [tar_member("a", tarfile.SYMTYPE, "."), ("a/bot.py", BOT)],
        "no file of the archive",
    ),
    "hard link": ([("x.py", BOT), tar_member("bot.py", tarfile.LNKTYPE, "x.py")], "hard link"),
    "character device": ([tar_member("null", tarfile.CHRTYPE)], "device or pipe"),
    "block device": ([tar_member("disk", tarfile.BLKTYPE)], "device or pipe"),
    "named pipe": ([tar_member("pipe", tarfile.FIFOTYPE)], "device or pipe"),
    "control characters": ([("bot\x1b[2J.py", BOT)], "control characters"),
    "line break in a name": ([("bot\n.py", BOT)], "control characters"),
    "backslashes": ([("..\\bot.py", BOT)], "backslashes"),
    "the same name twice": ([("bot.py", BOT), ("./bot.py", BOT)], "twice"),
    "file and folder of one name": ([("a", BOT), ("a/bot.py", BOT)], "as a file and as a folder"),
    "long name": ([("a" * 300, BOT)], "too long"),
    "deep folders": ([("a/" * 40 + "bot.py", BOT)], "too deep"),
    "too many files": ([(f"f{n}", b"") for n in range(MAX_FILES + 1)], "more than 2,000 files"),
    "too large": ([("zeros", bytes(MAX_BYTES + 1))], "more than 64 MiB"),
    "too large in all": ([("a", bytes(MAX_BYTES)), ("b", b"1")], "more than 64 MiB"),
    "empty": ([], "no files"),
}


@pytest.mark.parametrize("case", TARS)
def test_evil_tar_is_refused(case, tmp_path):
    members, words = TARS[case]
    refused(make_tar(tmp_path / "bot.tar.gz", *members), words)


ZIPS = {
    "absolute path": ([("/etc/passwd", BOT)], "absolute path"),
    "parent folder": ([("../bot.py", BOT)], "'..'"),
    "link out": ([("bot.py", b"/etc/passwd", stat.S_IFLNK | 0o777)], "points outside"),
    "device": ([("null", b"", stat.S_IFCHR | 0o666)], "device or pipe"),
    "NUL in a name": ([("bot.py\0.txt", BOT)], "control characters"),
    "bomb": ([(f"zeros{n}", bytes(MAX_BYTES // 8)) for n in range(9)], "more than 64 MiB"),
    "too many files": ([(f"f{n}", b"") for n in range(MAX_FILES + 1)], "more than 2,000 files"),
    "far too many files": ([(f"f{n}", b"") for n in range(5 * MAX_FILES)], "more than 2,000 files"),
}


@pytest.mark.parametrize("case", ZIPS)
def test_evil_zip_is_refused(case, tmp_path, monkeypatch):
    members, words = ZIPS[case]
    # The writer of the standard library cuts names at a NUL, as its reader does; others do not.
    path = make_zip(tmp_path / "bot.zip", *((m[0].replace("\0", "%"), *m[1:]) for m in members))
    if case == "NUL in a name":
        path.write_bytes(path.read_bytes().replace(b"bot.py%.txt", b"bot.py\0.txt"))
    refused(path, words)


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_zip_with_one_name_twice_is_refused(tmp_path):
    refused(make_zip(tmp_path / "bot.zip", ("bot.py", BOT), ("bot.py", b"other")), "twice")


def test_zip_that_lies_about_sizes_is_measured_while_it_is_unpacked(tmp_path):
    path = make_zip(tmp_path / "bot.zip", ("zeros", bytes(MAX_BYTES + 1)))
    size = (MAX_BYTES + 1).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (10).to_bytes(4, "little")))
    with pytest.raises(BotError, match=r"bot\.zip"):
        archive.unpack(path)


def test_encrypted_zip_is_refused(tmp_path):
    path = make_zip(tmp_path / "bot.zip", ("bot.py", BOT))
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    refused(path, "encrypted")


def test_unusual_compression_is_refused(tmp_path):
    refused(make_zip(tmp_path / "bot.zip", ("bot.py", BOT), method=zipfile.ZIP_LZMA), "unusual")


def test_tar_header_that_asks_for_gigabytes_of_memory_is_refused(tmp_path):
    info = tarfile.TarInfo("././@PaxHeader")
    info.type, info.size = tarfile.XHDTYPE, 7 * 2**30
    path = tmp_path / "bot.tar.gz"
    with gzip.open(path, "wb", compresslevel=1) as packed:
        packed.write(info.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(MAX_BYTES // 2**20 + 16):
            packed.write(bytes(2**20))
    refused(path, "more than 64 MiB")


def test_sparse_file_is_refused(tmp_path):
    info = tarfile.TarInfo("big")
    info.type = tarfile.GNUTYPE_SPARSE
    refused(make_tar(tmp_path / "bot.tar.gz", (info, b"")), "sparse")


@pytest.mark.parametrize("name", ["bot.zip", "bot.tar.gz"])
def test_broken_archive_is_refused(name, tmp_path):
    whole = (make_zip if name.endswith("zip") else make_tar)(
        tmp_path / name, ("bot.py", BOT * 200)
    ).read_bytes()
    for content in (b"", b"no archive", whole[: len(whole) // 2]):
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name, "")


def refused(path, words):
    """Refused by the reader with these words, and by `submit` without a trace in the workspace."""
    with pytest.raises(BotError) as caught:
        archive.unpack(path)
    assert words in str(caught.value)
    assert path.name in str(caught.value)
    assert "\n" not in str(caught.value)
    home = path.parent / "home"
    with pytest.raises(BotError):
        submit(path, home=home, checker=lambda _: [])
    assert not home.exists()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    where=st.integers(0, 400), what=st.binary(min_size=1, max_size=4), kind=st.sampled_from(["zip", "tar"])
)
def test_damaged_archive_never_raises_anything_else(tmp_path, where, what, kind):
    path = tmp_path / f"damaged.{kind}"
    if kind == "zip":
        make_zip(path, ("bot.py", BOT), ("b", b"x" * 50))
    else:
        with tarfile.open(path, "w") as tar:
            info = tarfile.TarInfo("bot.py")
            info.size = len(BOT)
            tar.addfile(info, io.BytesIO(BOT))
    data = bytearray(path.read_bytes())
    where %= len(data)
    data[where : where + len(what)] = what
    path.write_bytes(data)
    try:
        files = archive.unpack(path)
    except BotError:
        return
    assert all(not name.startswith("/") and ".." not in name.split("/") for name, _, _ in files)


GOOD = {
    "plain": ([("bot.py", BOT)], ["bot.py"]),
    "in a folder": ([("my-bot/bot.py", BOT), ("my-bot/lib/x.py", b"")], ["bot.py", "lib/x.py"]),
    "with dots": ([("./bot.py", BOT), ("./data//x", b"")], ["bot.py", "data/x"]),
    "two folders": ([("a/bot.py", BOT), ("b/x.py", b"")], ["a/bot.py", "b/x.py"]),
    "made on a Mac": ([("my/bot.py", BOT), ("__MACOSX/my/._bot.py", b"?"), (".DS_Store", b"")], ["bot.py"]),
    "leftovers": ([("bot.py", BOT), ("__pycache__/bot.cpython-312.pyc", b"?")], ["bot.py"]),
}


@pytest.mark.parametrize("case", GOOD)
@pytest.mark.parametrize("make", [make_zip, make_tar], ids=["zip", "tar.gz"])
def test_ordinary_archive(case, make, tmp_path):
    members, names = GOOD[case]
    path = make(tmp_path / ("bot.zip" if make is make_zip else "bot.tar.gz"), *members)
    assert [name for name, _, _ in archive.unpack(path)] == names


def test_run_bits_are_kept_and_others_dropped(tmp_path):
    path = make_zip(
        tmp_path / "bot.zip",
        ("run", b"#!/bin/sh\n", stat.S_IFREG | 0o4755),
        ("data", b"", stat.S_IFREG | 0o644),
    )
    assert archive.unpack(path) == [("data", False, b""), ("run", True, b"#!/bin/sh\n")]


def test_link_to_a_file_of_the_archive_becomes_a_copy(tmp_path):
    members = [("lib/real.py", BOT), tar_member("lib/bot.py", tarfile.SYMTYPE, "./real.py")]
    members.append(tar_member("main.py", tarfile.SYMTYPE, "lib/bot.py"))
    files = archive.unpack(make_tar(tmp_path / "bot.tar.gz", *members))
    assert files == [("lib/bot.py", False, BOT), ("lib/real.py", False, BOT), ("main.py", False, BOT)]
