"""Cannot be asked to leave, and thinks for ever."""

import signal
import sys

for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
for line in sys.stdin:
    if line.startswith("? ready"):
        print("ready", flush=True)
    elif line.startswith("?"):
        while True:
            pass
