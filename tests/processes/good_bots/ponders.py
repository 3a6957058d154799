"""Thinks all the time, whoever is to move."""

import select
import sys

while True:
    while not select.select([0], [], [], 0)[0]:
        pass
    line = sys.stdin.readline()
    if not line:
        break
    while line:
        if line.startswith("?"):
            print(line.rstrip("\n").split(" | ")[1], flush=True)
            break
        line = sys.stdin.readline()
