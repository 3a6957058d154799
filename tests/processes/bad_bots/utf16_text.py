"""Writes in another encoding, as some shells do with a pipe."""

import sys

for line in sys.stdin:
    if line.startswith("?"):
        sys.stdout.buffer.write((line.rstrip("\n").split(" | ")[1] + "\n").encode("utf-16"))
        sys.stdout.buffer.flush()
