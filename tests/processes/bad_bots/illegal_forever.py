"""Repeats a reply that is well formed and never legal."""

import sys

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        print("99 99", flush=True)
