"""No attack: thinks for a while before each reply, so that its opponent has time to misuse."""

import random
import sys
import time

for line in sys.stdin:
    if line.startswith("?"):
        if "ready" not in line:
            time.sleep(0.5)
        print(random.choice(line.rstrip("\n").split(" | ")[1:]), flush=True)
