"""Reads address zero at its first turn."""

import ctypes
import sys

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        ctypes.string_at(0)
