"""Starts threads as often as it can, 300 times at most."""

import threading
import time

threading.stack_size(64 * 1024)
made = 0
try:
    for _ in range(300):
        threading.Thread(target=time.sleep, args=(15,), daemon=True).start()
        made += 1
except RuntimeError:
    print("refused")
print("started", made, flush=True)
time.sleep(15)
