"""Writes without end from the start, never a line end."""

import sys

while True:
    sys.stdout.write("x" * 65536)
