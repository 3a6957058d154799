"""Buffers even its greeting, as most languages do with a pipe."""

import sys

out = open(1, "w", buffering=1 << 20, closefd=False)  # noqa: SIM115 - it lives as long as the bot
for line in sys.stdin:
    if line.startswith("?"):
        out.write(line.rstrip("\n").split(" | ")[1] + "\n")
