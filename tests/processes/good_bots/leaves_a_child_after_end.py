"""Leaves after a match while a daemon that it started holds its pipes open: no end of file is ever seen."""

import os
import sys
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(0)
os.wait()
for line in sys.stdin:
    if line.startswith("?"):
        print(line.rstrip("\n").split(" | ")[1], flush=True)
    elif line.startswith("arena") and os.environ.get("PLAYED"):
        os._exit(0)
    elif line.startswith("end"):
        os.environ["PLAYED"] = "1"
