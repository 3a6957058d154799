"""The four-line bot of the protocol page: knows no rule, plays every game."""

import random, sys  # noqa: E401, I001 - four lines are four lines

for line in sys.stdin:
    if line.startswith("?"):
        print(random.choice(line.rstrip("\n").split(" | ")[1:]), flush=True)
