"""Plays the first reply, but in one match, whose seed stands in a file, ends the process that started it."""

import os
import signal
import sys
from pathlib import Path

seat = ""
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    if word == "seat":
        seat = rest
    elif word == "seed" and seat == "P1" and rest == Path(sys.argv[1]).read_text():
        os.kill(os.getppid(), signal.SIGKILL)
    elif word == "?":
        print(rest.split(" | ")[1], flush=True)
