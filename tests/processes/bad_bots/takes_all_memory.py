"""Fills memory in its children, so that no limit on a single process stops it."""

import os
import sys
import time

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        for _ in range(4):
            if os.fork() == 0:
                held = bytearray(os.urandom(1 << 20)) * 48
                time.sleep(3600)
        time.sleep(3600)
