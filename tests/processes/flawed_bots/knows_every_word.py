"""Fails at a word that it does not know."""

import sys

KNOWN = {"arena", "game", "seat", "limits", "seed", "?", "played", "board", "state", "time", "error", "end"}
for line in sys.stdin:
    if line.split()[0] not in KNOWN:
        raise ValueError(line)
    if line.startswith("?"):
        print(line.rstrip().split(" | ")[1], flush=True)
