"""Says everything twice, in one breath."""

import sys

for line in sys.stdin:
    if line.startswith("?"):
        reply = line.rstrip("\n").split(" | ")[1]
        sys.stdout.write(f"{reply}\n{reply}\n")
        sys.stdout.flush()
