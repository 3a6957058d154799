"""Closes its output and lives on."""

import os
import sys
import time

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        os.close(1)
        time.sleep(3600)
