"""Looks for a canary: in the places it is told of, and in every small file that it can see."""

import json
import os

CANARY = os.environ["HALF"] + "-canary"
found = []


def look(path):
    try:
        with open(path, "rb") as file:
            if CANARY.encode() in file.read(1 << 20):
                found.append(str(path))
    except OSError:
        pass


for place in json.loads(os.environ["PLACES"]):
    look(place)
    if os.path.isdir(place):
        print("SEEN", place)
for root, folders, names in os.walk("/"):
    if root in ("/usr", "/proc", "/sys", "/lib", "/lib64", "/bin", "/sbin", "/dev") or len(root) > 300:
        folders.clear()
        continue
    if any(part in root for part in ("site-packages", "/lib/python", "/.pyenv/versions", "/share/")):
        folders.clear()
        continue
    for name in names:
        look(os.path.join(root, name))
for pid in (name for name in os.listdir("/proc") if name.isdigit()):
    for name in ("environ", "cmdline", "maps"):
        look(f"/proc/{pid}/{name}")
for place in found:
    print("FOUND", place)
for name in ("/etc/shadow", "/etc/passwd", "/var/log", "/home"):
    try:
        os.stat(name)
        print("SEEN", name)
    except OSError:
        pass
print("done", flush=True)
