"""Writes to stderr without end while it should think."""

import os
import sys

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        while True:
            os.write(2, b"e" * 65536)
