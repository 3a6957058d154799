"""Plays well and writes a megabyte to stderr at each prompt: nothing wrong with that."""

import sys

for line in sys.stdin:
    if line.startswith("?"):
        sys.stderr.write("n" * 1_000_000 + "\n")
        print(line.rstrip("\n").split(" | ")[1], flush=True)
