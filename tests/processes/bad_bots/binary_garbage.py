"""Answers in bytes that are no text."""

import sys

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        sys.stdout.buffer.write(bytes(range(128, 256)) + b"\0\n")
        sys.stdout.buffer.flush()
