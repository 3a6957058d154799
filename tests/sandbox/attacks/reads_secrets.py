"""Looks for a canary: in the places it is told of, and in every small file that it can see."""

import itertools
import json
import os

CANARY = os.environ["HALF"] + "-canary"
found = {}


def look(path):
    try:
        with open(path, "rb") as file:
            if CANARY.encode() in file.read(1 << 20):
                found[str(path)] = True
    except OSError:
        pass


for place in json.loads(os.environ["PLACES"]):
    look(place)
    if os.path.isdir(place):
        print("SEEN", place)
    try:
        os.listdir(place)
        print("LISTED", place)
    except OSError:
        pass
for root, folders, names in itertools.chain(os.walk(os.getcwd()), os.walk("/")):
    if root in ("/usr", "/proc", "/sys", "/lib", "/lib64", "/bin", "/sbin", "/dev") or len(root) > 300:
        folders.clear()
        continue
    if any(part in root for part in ("site-packages", "/lib/python", "/.pyenv/versions", "/share/")):
        folders.clear()
        continue
    for name in names:
        look(os.path.join(root, name))
try:
    pids = [name for name in os.listdir("/proc") if name.isdigit()]
except OSError:
    pids = [str(number) for number in range(1, 3000)]
for pid in pids:
    for name in ("environ", "cmdline", "maps"):
        look(f"/proc/{pid}/{name}")
for place in found:
    print("FOUND", place)
for name in ("/etc/shadow", "/etc/passwd", "/var/log", "/home"):
    try:
        os.stat(name)
        print("SEEN", name)
        os.listdir(name) if os.path.isdir(name) else open(name).close()
        print("READ", name)
    except OSError:
        pass
print("done", flush=True)
