"""Forks as often as it can, 300 times at most; every child stays for a while."""

import os
import sys
import time

SECONDS = float(sys.argv[1]) if sys.argv[1:] else 15
made = 0
try:
    for _ in range(300):
        if os.fork() == 0:
            time.sleep(SECONDS)
            os._exit(0)
        made += 1
except OSError as error:
    print("refused:", error.strerror)
print("forked", made, flush=True)
time.sleep(SECONDS)
