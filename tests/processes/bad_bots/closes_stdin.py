"""Closes its input after the greeting and says nothing more."""

import os
import sys
import time

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
        os.close(0)
        time.sleep(3600)
