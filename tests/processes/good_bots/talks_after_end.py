"""Has a lot to say when a match is over, and does not finish its last line."""

import sys

for line in sys.stdin:
    if line.startswith("?"):
        print(line.rstrip("\n").split(" | ")[1], flush=True)
    elif line.startswith("end"):
        sys.stdout.write("3 3\n" * 500 + "half")
        sys.stdout.flush()
