"""The filter of system calls, run by a small interpreter of its instructions: for both kinds of processor."""

import errno
import re
import socket
import struct
from functools import cache
from pathlib import Path

import pytest

from arena.sandbox import seccomp

ALLOW, KILL = "allow", "kill"
HEADERS = {
    0: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    1: Path("/usr/include/asm-generic/unistd.h"),
}


@cache
def instructions(machine: str, fenced: bool) -> list[tuple[int, int, int, int]]:
    kind = {"apart": False, "attributes": False} if fenced else {}
    return list(struct.iter_unpack("<HBBI", seccomp.program(machine, **kind)))


def verdict(
    machine: str, number: int, *arguments: int, audit: int | None = None, fenced: bool = False
) -> str:
    """What the kernel would make of a call: `allow`, `kill`, or the name of an error."""
    found = seccomp.MACHINES[machine].audit if audit is None else audit
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, found, 0, *padded)
    code = instructions(machine, fenced)
    loaded = at = 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        if operation == 0x20:
            (loaded,) = struct.unpack_from("<I", data, value)
        elif operation == 0x06:
            kind, error = value & 0xFFFF0000, value & 0xFFFF
            return {0x7FFF0000: ALLOW, 0x80000000: KILL}.get(kind) or errno.errorcode[error]
        else:
            holds = {0x15: loaded == value, 0x25: loaded > value, 0x45: bool(loaded & value)}[operation]
            at += if_true if holds else if_false


@pytest.fixture(params=list(seccomp.MACHINES))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def number(machine: str, name: str) -> int:
    found = seccomp.NUMBERS[name][seccomp.MACHINES[machine].column]
    assert found is not None
    return found


def test_every_call_of_the_table_is_refused_or_examined(machine: str) -> None:
    column = seccomp.MACHINES[machine].column
    for name, numbers in seccomp.NUMBERS.items():
        if numbers[column] is not None and name not in ("clone", "socket", "ioctl"):
            assert verdict(machine, numbers[column]) in ("EPERM", "ENOSYS"), name


@pytest.mark.parametrize("fenced", [False, True])
def test_everything_else_passes(machine: str, fenced: bool) -> None:
    column = seccomp.MACHINES[machine].column
    table = seccomp.NUMBERS | (seccomp.SHARED | seccomp.ATTRIBUTES if fenced else {})
    known = {numbers[column] for numbers in table.values()}
    for other in set(range(seccomp.NEWEST + 1)) - known:
        assert verdict(machine, other, fenced=fenced) == ALLOW


def test_a_bot_without_namespaces_has_more_refused(machine: str) -> None:
    column = seccomp.MACHINES[machine].column
    for name, numbers in (seccomp.NUMBERS | seccomp.SHARED | seccomp.ATTRIBUTES).items():
        if numbers[column] is not None and name not in ("clone", "ioctl", "prlimit64", "socketpair"):
            assert verdict(machine, numbers[column], fenced=True) != ALLOW, name
    for family in range(46):
        assert verdict(machine, number(machine, "socket"), family, fenced=True) == "EAFNOSUPPORT"


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("prlimit64", (0, 7), ALLOW),
        ("prlimit64", (1, 7), "EPERM"),
        ("socketpair", (1, 1), ALLOW),
        ("socketpair", (1, 5 | 0x80800), ALLOW),  # with its flags
        ("socketpair", (1, 2), "EPERM"),
        ("socketpair", (1, 3 | 0x80000), "EPERM"),
    ],
)
def test_calls_that_reach_others_are_looked_at(
    machine: str, name: str, arguments: tuple[int, ...], expected: str
) -> None:
    found = seccomp.SHARED[name][seccomp.MACHINES[machine].column]
    assert found is not None
    assert verdict(machine, found, *arguments, fenced=True) == expected
    assert verdict(machine, found, *arguments) == ALLOW


@pytest.mark.parametrize("unknown", [463, 999, 0x40000000, 0x400000A5, 0xFFFFFFFF])
def test_newer_calls_do_not_exist(machine: str, unknown: int) -> None:
    assert verdict(machine, unknown) == "ENOSYS"


def test_another_instruction_set_ends_the_bot(machine: str) -> None:
    assert verdict(machine, 1, audit=0x40000003) == KILL


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (17, ALLOW),  # fork
        (0x3D0F00, ALLOW),  # a thread
        (0x4111, ALLOW),  # vfork
        (0x10000000, "EPERM"),  # user
        (0x20000 | 17, "EPERM"),  # mount
        (0x40000000, "EPERM"),  # net
        (0x2000000, "EPERM"),  # cgroup
    ],
)
def test_clone_makes_no_namespace(machine: str, flags: int, expected: str) -> None:
    assert verdict(machine, number(machine, "clone"), flags) == expected


def test_clone3_sends_programs_back_to_clone(machine: str) -> None:
    assert verdict(machine, number(machine, "clone3")) == "ENOSYS"


@pytest.mark.parametrize("family", range(46))
def test_sockets_are_for_the_bots_own_processes(machine: str, family: int) -> None:
    expected = ALLOW if family == socket.AF_UNIX else "EAFNOSUPPORT"
    assert verdict(machine, number(machine, "socket"), family) == expected


@pytest.mark.parametrize(
    ("request_number", "expected"),
    [(0x5412, "EPERM"), (0x541C, "EPERM"), (0x1_0000_5412, "EPERM"), (0x5413, ALLOW), (0x5401, ALLOW)],
)
def test_nothing_is_typed_on_a_terminal(machine: str, request_number: int, expected: str) -> None:
    assert verdict(machine, number(machine, "ioctl"), 0, request_number) == expected


def test_a_processor_without_a_table_is_told() -> None:
    with pytest.raises(ValueError, match="no filter of system calls for pdp11"):
        seccomp.program("pdp11")


@pytest.mark.parametrize("column", HEADERS)
def test_numbers_are_those_of_the_kernels_headers(column: int) -> None:
    if not HEADERS[column].exists():
        pytest.skip(f"NOT TESTED: {HEADERS[column]} is not here")
    text = HEADERS[column].read_text()
    official = {name: int(value) for name, value in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    for name, numbers in (seccomp.NUMBERS | seccomp.SHARED | seccomp.ATTRIBUTES).items():
        if name in official:
            assert (name, numbers[column]) == (name, official[name])
        else:
            assert numbers[column] is None or numbers[column] > max(official.values()), name
