"""Writes lines without end instead of a reply."""

import sys

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        while True:
            sys.stdout.write("# noise\n" * 1000)
