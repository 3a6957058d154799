"""Plays well, but its lines stay in a buffer of its own."""

import sys

out = open(1, "w", buffering=1 << 20, closefd=False)  # noqa: SIM115 - it lives as long as the bot
for line in sys.stdin:
    if line.startswith("? ready"):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
    elif line.startswith("?"):
        out.write(line.rstrip("\n").split(" | ")[1] + "\n")
