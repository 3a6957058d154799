"""Sends a byte now and then, never a whole line: the deadline must not move."""

import sys
import time

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        while True:
            sys.stdout.write("1")
            sys.stdout.flush()
            time.sleep(0.05)
