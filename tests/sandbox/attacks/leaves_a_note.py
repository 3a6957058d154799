"""Leaves a note wherever it can, and says which notes of an earlier start it finds."""

import os
import tempfile

own = [os.getcwd(), os.environ["HOME"]]
try:
    own.append(tempfile.gettempdir())
except OSError:  # there is none
    pass
for folder in {"/tmp", "/dev/shm", "/var/tmp", "/run", *own}:
    note = os.path.join(folder, "arena-attack-note")
    if os.path.exists(note):
        print("FOUND", note)
    try:
        with open(note, "w") as file:
            file.write("remember me")
        print("left", note)
    except OSError:
        pass
print("done", flush=True)
