"""Sleeps through its first turn in the first process that is started, and plays well in all later ones."""

import sys
import time
from pathlib import Path

mark = Path(sys.argv[1])
for line in sys.stdin:
    if line.startswith("?"):
        if not line.startswith("? ready") and not mark.exists():
            mark.touch()
            time.sleep(60)
        print(line.rstrip("\n").split(" | ")[1], flush=True)
