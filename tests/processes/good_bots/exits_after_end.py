"""Plays one match and leaves, as the protocol allows."""

import sys

for line in sys.stdin:
    if line.startswith("?"):
        print(line.rstrip("\n").split(" | ")[1], flush=True)
    elif line.startswith("end"):
        break
