"""Plays at once and burns CPU time on its opponent's turns, in a child of its own as well."""

import os
import random
import sys
import threading


def burn():
    while True:
        pass


if os.fork() == 0:
    os.setsid()
    burn()
threading.Thread(target=burn, daemon=True).start()
for line in sys.stdin:
    if line.startswith("?"):
        print(random.choice(line.rstrip("\n").split(" | ")[1:]), flush=True)
