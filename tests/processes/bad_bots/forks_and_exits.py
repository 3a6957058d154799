"""Ends itself while a child keeps its output open: silence without an end of file."""

import os
import sys
import time

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(3)
