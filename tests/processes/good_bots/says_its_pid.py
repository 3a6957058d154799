"""Says its process id in a remark before each reply."""

import os
import sys

for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        print(f"# {os.getpid()}\n{line.rstrip().split(' | ')[1]}", flush=True)
