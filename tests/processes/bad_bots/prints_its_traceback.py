"""Sends stderr where its replies go, and fails."""

import os
import sys

os.dup2(1, 2)
for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        raise ValueError("no idea what to play")
