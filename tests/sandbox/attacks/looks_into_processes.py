"""Tries to trace and read other processes, by number and through /proc."""

import ctypes
import json
import os

libc = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
try:
    seen = [int(name) for name in os.listdir("/proc") if name.isdigit()]
except OSError:
    seen = []
told = json.loads(os.environ["PIDS"])
print("processes", len(seen))
for pid in told:
    if pid in seen and open(f"/proc/{pid}/comm").read().strip() not in ("python", "bash", "bwrap"):
        print("SEES", pid)
for pid in {*told, *seen} - {os.getpid()}:
    for request in (PTRACE_ATTACH, PTRACE_SEIZE):
        if libc.ptrace(request, pid, None, None) == 0:
            print("TRACES", pid)
    for name in ("mem", "root", "cwd", "environ", "fd"):
        try:
            path = f"/proc/{pid}/{name}"
            if name == "mem":
                with open(path, "r+b"):
                    print("OPENED", path)
            elif pid in told:
                os.listdir(path) if name != "environ" else open(path).close()
                print("OPENED", path)
        except OSError:
            pass
print("done", flush=True)
