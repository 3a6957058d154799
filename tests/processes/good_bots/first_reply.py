"""Always takes the first reply that is listed: the same match every time."""

import sys

for line in sys.stdin:
    if line.startswith("?"):
        print(line.rstrip("\n").split(" | ")[1], flush=True)
