"""Takes memory of the kind its argument names, 16 MiB at a time and 2 GiB at most, and says how much."""

import ctypes
import mmap
import os
import sys
import time

STEP = 16 << 20
MOST = 2 << 30


def private(_):
    return b"x" * STEP


def shared(_):
    area = mmap.mmap(-1, STEP)
    area.write(b"x" * STEP)
    return area


def children(_):
    pid = os.fork()
    if pid == 0:
        kept = b"x" * STEP
        time.sleep(15)
        os._exit(len(kept) & 1)
    return pid


def file_in(folder):
    def take(number):
        with open(f"{folder}/fill-{os.getpid()}-{number}", "wb") as file:
            file.write(b"x" * STEP)

    return take


def memfd(_):
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.memfd_create(b"hoard", 0)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "memfd_create")
    os.write(descriptor, b"x" * STEP)
    return descriptor


def system_v(_):
    libc = ctypes.CDLL(None, use_errno=True)
    key = libc.shmget(0, STEP, 0o1600)
    if key < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    return key


def pipes(_):
    import fcntl

    reading, writing = os.pipe()
    fcntl.fcntl(writing, 1031, 1 << 20)
    os.set_blocking(writing, False)
    return reading, os.write(writing, b"x" * (1 << 20))


KINDS = {
    "private": private,
    "shared": shared,
    "children": children,
    "tmp": file_in("/tmp"),
    "dev-shm": file_in("/dev/shm"),
    "memfd": memfd,
    "system-v": system_v,
    "pipes": pipes,
}

take = KINDS[sys.argv[1]]
kept = []
try:
    for number in range(MOST // STEP):
        kept.append(take(number))
        print("holds", (number + 1) * STEP >> 20, flush=True)
        time.sleep(0.02)
except (OSError, MemoryError) as error:
    print("refused:", error, flush=True)
    sys.exit()
print("has it all", flush=True)
