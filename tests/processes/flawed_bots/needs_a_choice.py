"""Always wants the second of the listed replies."""

import sys

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        replies = line.rstrip().split(" | ")[1:]
        print(replies[1] if len(replies) < 3 else replies[0], flush=True)
