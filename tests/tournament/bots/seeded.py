"""Deterministic for a seed: draws from the seed it is given, and marks its replies with its own name."""

import random
import sys
import time

slow = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
source = random.Random()
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    if word == "seed":
        source.seed(f"{sys.argv[1]} {rest}")
    elif word == "?":
        time.sleep(slow)
        print(source.choice(line.rstrip("\n").split(" | ")[1:]), flush=True)
