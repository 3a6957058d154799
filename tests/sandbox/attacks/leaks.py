"""Says what it was given: its environment and its open descriptors."""

import os

for key, value in os.environ.items():
    print("env", key, value)
for name in os.listdir("/proc/self/fd"):
    try:
        print("fd", name, os.readlink(f"/proc/self/fd/{name}"))
    except OSError:
        pass
print("done", flush=True)
