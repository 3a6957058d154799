"""Tries something silly first in every match, and then what is listed."""

import sys

silly = False
for line in sys.stdin:
    if line.startswith("game"):
        silly = True
    elif line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        print("0 0" if silly else line.rstrip().split(" | ")[1], flush=True)
        silly = False
