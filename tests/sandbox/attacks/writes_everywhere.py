"""Tries to write, change and delete: what it is told of, its own folder, and the system."""

import json
import os

SYSTEM = ("/", "/usr", "/etc", "/dev", "/proc/sys/kernel", "/var")
for place in (*json.loads(os.environ["PLACES"]), os.getcwd(), *SYSTEM):
    if os.path.isdir(place):
        targets = []
        try:
            targets = [os.path.join(place, name) for name in os.listdir(place)[:3]]
        except OSError:
            pass
        try:
            with open(os.path.join(place, "arena-attack-was-here"), "w") as file:
                file.write("x")
            print("WROTE", place)
        except OSError:
            pass
    else:
        targets = [place]
    if not place.startswith(("/usr", "/etc", "/dev", "/proc", "/var")) and place != "/":
        for target in targets:
            for change in (lambda t: open(t, "a").close(), lambda t: os.chmod(t, 0o777), os.unlink):
                try:
                    change(target)
                    print("CHANGED", target)
                except OSError:
                    pass
print("done", flush=True)
