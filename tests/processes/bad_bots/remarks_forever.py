"""Keeps talking in remarks, slowly enough not to be a flood: the deadline must not move."""

import sys
import time

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        while True:
            print("# still thinking", flush=True)
            time.sleep(0.05)
