"""Stays after the end, but plays no second match."""

import sys

matches = 0
for line in sys.stdin:
    matches += line.startswith("game")
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        print(line.rstrip().split(" | ")[1] if matches < 4 else "enough", flush=True)
