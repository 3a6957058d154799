"""Has a child burn 0.4 s of CPU time at its first move, and replies when the child has ended."""

import os
import sys
import time

worked = False
for line in sys.stdin:
    if line.startswith("?"):
        if not line.startswith("? ready") and not worked:
            worked = True
            child = os.fork()
            if child == 0:
                while time.process_time() < 0.4:
                    pass
                os._exit(0)
            os.waitpid(child, 0)
        print(line.rstrip("\n").split(" | ")[1], flush=True)
