"""Leaves a daemon in a session of its own, with the marker in its command line, and plays on."""

import os
import random
import subprocess
import sys

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        subprocess.Popen(["sleep", os.environ["MARKER"]], start_new_session=True, stdin=subprocess.DEVNULL)
        os.execvp("sleep", ["sleep", os.environ["MARKER"]])
    os._exit(0)
for line in sys.stdin:
    if line.startswith("?"):
        print(random.choice(line.rstrip("\n").split(" | ")[1:]), flush=True)
