"""Prints what it thinks where its replies go."""

import sys

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        print("Thinking...", flush=True)
