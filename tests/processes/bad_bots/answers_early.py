"""Answers on the opponent's time as well."""

import sys
import time

for line in sys.stdin:
    if line.startswith("?"):
        reply = line.rstrip("\n").split(" | ")[1]
        print(reply, flush=True)
        if reply != "ready":
            time.sleep(0.02)
            print(reply, flush=True)
