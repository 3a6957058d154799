"""Takes for ever to get ready."""

import sys
import time

sys.stdin.readline()
time.sleep(3600)
