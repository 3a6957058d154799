"""Plays one ply and leaves with an error on stderr."""

import sys

replies = 0
for line in sys.stdin:
    if line.startswith("?"):
        if replies == 2:
            raise ValueError("no idea what to play")
        replies += 1
        print(line.rstrip("\n").split(" | ")[1], flush=True)
