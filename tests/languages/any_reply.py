"""The shortest complete bot: it knows no rule and plays every game."""

import random
import sys

for line in sys.stdin:
    if line.startswith("?"):
        print(random.choice(line.rstrip("\n").split(" | ")[1:]), flush=True)
