"""Forgets the line end."""

import sys
import time

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        sys.stdout.write(line.rstrip("\n").split(" | ")[1])
        sys.stdout.flush()
        time.sleep(3600)
