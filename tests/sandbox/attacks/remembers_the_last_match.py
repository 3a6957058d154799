"""Leaves a note in every match, and resigns when it finds one of an earlier match."""

import os
import random
import sys

folders = ("/tmp", "/dev/shm", "/var/tmp", os.getcwd(), os.environ["HOME"])
notes = [os.path.join(folder, "arena-attack-memory") for folder in folders]
found = any(os.path.exists(note) for note in notes)
for note in notes:
    try:
        open(note, "w").close()
    except OSError:
        pass
for line in sys.stdin:
    if line.startswith("?"):
        replies = line.rstrip("\n").split(" | ")[1:]
        print("resign" if found and replies != ["ready"] else random.choice(replies), flush=True)
