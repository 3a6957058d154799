"""Takes a while for each reply but the first, without using the processor."""

import sys
import time

for line in sys.stdin:
    if line.startswith("?"):
        if not line.startswith("? ready"):
            time.sleep(0.1)
        print(line.rstrip("\n").split(" | ")[1], flush=True)
