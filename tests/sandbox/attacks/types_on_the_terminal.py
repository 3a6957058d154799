"""Looks for a terminal and types a command on it in the user's place."""

import fcntl
import glob
import os
import sys
import termios

others = {*glob.glob("/dev/pts/[0-9]*"), *(f"/dev/pts/{n}" for n in range(9))} if "others" in sys.argv else ()
for name in ("/dev/tty", *others, *(f"/proc/self/fd/{fd}" for fd in (0, 1, 2))):
    try:
        terminal = os.open(name, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        continue
    for character in b"TYPED\n":
        try:
            fcntl.ioctl(terminal, termios.TIOCSTI, bytes([character]))
        except OSError:
            break
    if os.isatty(terminal):
        os.write(terminal, b"\x1b]0;WRITTEN\x07")
        print("REACHED", name)
print("done", flush=True)
