"""Makes empty files in /tmp, which cost the kernel memory that no size of a file system counts."""

import os
import sys

try:
    for number in range(400_000):
        os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
        if number % 1000 == 0:
            print("made", number, flush=True)
except OSError as error:
    print("refused:", error, flush=True)
    sys.exit()
print("made them all", flush=True)
