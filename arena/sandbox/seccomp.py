"""The system calls a bot may not make, as a filter program for the kernel.

The filter refuses by name and lets the rest pass, because runtimes differ in what they call; calls that are
newer than this table are refused as unknown, which every runtime is ready for. The program is classic BPF: a
list of instructions of eight bytes that look at the number and the arguments of a call and return a verdict.
"""

import errno
import platform
import socket
import struct
from typing import NamedTuple


class Machine(NamedTuple):
    """A kind of processor: the kernel's mark for it, and which column of the table is its own."""

    audit: int
    column: int


MACHINES = {"x86_64": Machine(0xC000003E, 0), "aarch64": Machine(0xC00000B7, 1)}

NUMBERS: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # the tree of mounts, and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "setns": (308, 268),
    "unshare": (272, 97),
    # parts of the kernel that a bot has no use for and that have often been ways in
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_setup": (206, 0),
    "fanotify_init": (300, 262),
    "modify_ldt": (154, None),
    "syslog": (103, 116),
    # memory that no limit of ours would count
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    # a fair share of the processors
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # the machine itself; without capabilities these fail anyway
    "acct": (163, 89),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "settimeofday": (164, 170),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "init_module": (175, 105),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "ioperm": (173, None),
    "iopl": (172, None),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "vhangup": (153, 58),
    # looked at more closely, by their arguments
    "clone": (56, 220),
    "clone3": (435, 435),
    "socket": (41, 198),
    "ioctl": (16, 29),
}
"""Number of each call on x86-64 and on arm64."""

SHARED: dict[str, tuple[int | None, int | None]] = {
    # those whose user a bot may share: their limits, their share of the processors
    "prlimit64": (302, 261),
    "setpriority": (141, 140),
    # word of what happens in folders that it cannot read
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "socketpair": (53, 199),
}
"""What reaches beyond a bot that has no namespaces around it, and is refused there as well."""

ATTRIBUTES: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "lchown": (94, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
"""Changes of a file that need no right to write to it, only its owner; Landlock does not see them."""

NEWEST = 462
"""Calls with a higher number did not exist when this table was written: unknown to us, so unknown to a bot.
The second set of numbers of x86-64 (x32) lies above it, too."""

_UNKNOWN = {
    "clone3",  # hides its flags behind a pointer; C libraries and Go go back to clone
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "io_setup",
    "memfd_create",
    "memfd_secret",
    "userfaultfd",
}
"""Answered as if the kernel did not have them, so that programs take their other way."""
_EXAMINED = {"clone", "socket", "ioctl", "prlimit64", "socketpair"}

NEW_NAMESPACES = 0x7E020000
"""All the CLONE_NEW… flags that clone takes."""
TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: type on the terminal in the user's place."""
_DATAGRAMS = 2
"""The bit that SOCK_DGRAM and SOCK_RAW have, and SOCK_STREAM and SOCK_SEQPACKET have not."""

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_ERRNO = 0x00050000

_LOAD, _EQUAL, _GREATER, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_NUMBER, _ARCH = 0, 4


def _argument(index: int) -> int:
    """Where the low half of an argument is; both machines are little-endian."""
    return 16 + 8 * index


Instruction = tuple[int, int, int, int]
"""Operation, how many instructions to skip if it holds, how many if not, value."""


def program(machine: str | None = None, *, apart: bool = True, attributes: bool = True) -> bytes:
    """The filter for a machine, by default this one; raises ValueError when there is no table for it.

    `apart` says that namespaces hide what is not the bot's; `attributes`, that it may change those of files.
    """
    found = MACHINES.get(machine or platform.machine())
    if found is None:
        raise ValueError(f"there is no filter of system calls for {machine or platform.machine()}")
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, found.audit),
        (_RETURN, 0, 0, _KILL),  # another instruction set, whose numbers mean other calls
        (_LOAD, 0, 0, _NUMBER),
        *_refused(_GREATER, NEWEST, errno.ENOSYS),
    ]
    refused = NUMBERS | ({} if apart else SHARED) | ({} if attributes else ATTRIBUTES)
    for name, numbers in refused.items():
        number = numbers[found.column]
        if number is not None and name not in _EXAMINED:
            code += _refused(_EQUAL, number, errno.ENOSYS if name in _UNKNOWN else errno.EPERM)
    checks = {"clone": _clone(), "socket": _socket() if apart else _no_socket(), "ioctl": _ioctl()}
    if not apart:
        checks |= {"prlimit64": _own_limits(), "socketpair": _socket_pair()}
    for name, check in checks.items():
        number = refused[name][found.column]
        assert number is not None
        code += [(_EQUAL, 0, len(check), number), *check]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _refused(test: int, value: int, error: int) -> list[Instruction]:
    """Return this error when the test holds for what is loaded."""
    return [(test, 0, 1, value), (_RETURN, 0, 0, _ERRNO | error)]


def _clone() -> list[Instruction]:
    """Threads and children, but no namespaces."""
    return [
        (_LOAD, 0, 0, _argument(0)),
        *_refused(_ANY_BIT, NEW_NAMESPACES, errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _socket() -> list[Instruction]:
    """Sockets between the bot's own processes only: no network, netlink, vsock, packets, kernel crypto."""
    return [
        (_LOAD, 0, 0, _argument(0)),
        (_EQUAL, 1, 0, int(socket.AF_UNIX)),
        (_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _no_socket() -> list[Instruction]:
    """None at all: a socket with a name in the file system can be called by whoever may write to it."""
    return [(_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT)]


def _socket_pair() -> list[Instruction]:
    """Pairs that stay a pair: one for datagrams could send to any socket that has a name."""
    return [
        (_LOAD, 0, 0, _argument(1)),
        *_refused(_ANY_BIT, _DATAGRAMS, errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _own_limits() -> list[Instruction]:
    """The limits of the caller, which is process 0, and of nobody else."""
    return [
        (_LOAD, 0, 0, _argument(0)),
        (_EQUAL, 1, 0, 0),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _ioctl() -> list[Instruction]:
    return [
        (_LOAD, 0, 0, _argument(1)),
        *(step for request in TERMINAL_INPUT for step in _refused(_EQUAL, request, errno.EPERM)),
        (_RETURN, 0, 0, _ALLOW),
    ]
