"""Never ends its first turn in the first process that is started, and replies at once in all later ones."""

import sys
from pathlib import Path

mark = Path(sys.argv[1])
for line in sys.stdin:
    if line.startswith("?"):
        if not line.startswith("? ready") and not mark.exists():
            mark.touch()
            while True:
                pass
        print(line.rstrip("\n").split(" | ")[1], flush=True)
