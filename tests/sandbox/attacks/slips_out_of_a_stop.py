"""Forks into new sessions all the time, in the hope that one of them is overlooked when it is stopped."""

import os
import random
import sys
import threading
import time


def slip_out():
    for _ in range(400):
        if os.fork() == 0:
            os.setsid()
            end = time.monotonic() + 1.5
            while time.monotonic() < end:
                pass
            os._exit(0)
        time.sleep(0.02)
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break


def keep_on():
    while True:
        try:
            slip_out()
        except OSError:  # the limit on processes
            time.sleep(0.02)


threading.Thread(target=keep_on, daemon=True).start()
for line in sys.stdin:
    if line.startswith("?"):
        print(random.choice(line.rstrip("\n").split(" | ")[1:]), flush=True)
