"""No attack: a bot that plays at random, so that the others have an opponent."""

import random
import sys

for line in sys.stdin:
    if line.startswith("?"):
        print(random.choice(line.rstrip("\n").split(" | ")[1:]), flush=True)
