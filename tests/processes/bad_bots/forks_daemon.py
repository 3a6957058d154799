"""Leaves a daemon behind (double fork, session of its own, bare environment) and gives up."""

import os
import sys
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        os.execve("/bin/sleep", ["sleep", os.environ["MARKER"]], {})
    os._exit(0)
os.wait()
time.sleep(0.1)
for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        print("resign", flush=True)
