"""Thinks for ever, on one processor that it may have to share."""

import os
import sys

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        while True:
            pass
