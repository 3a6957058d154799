"""Crash capsules on disk: a name that says what happened, and a file that is whole or not there."""

import os
import re
import tempfile
from pathlib import Path

from arena import capsule as capsules
from arena.capsule import Capsule, CapsuleError

_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")


def save(capsule: Capsule, folder: Path) -> Path:
    """Write a capsule to a new file in `folder` and return its path; OSError when that cannot be done."""
    folder.mkdir(parents=True, exist_ok=True)
    name = capsule.bot.partition("@")[0]
    stem = _UNSAFE.sub("_", f"{capsule.game}-{name}-{capsule.code}-{capsule.seed}").strip(".")
    text = capsules.write(capsule).encode("utf-8")
    fd, made = tempfile.mkstemp(dir=folder, prefix=".new-")
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(text)
        number = 1
        while True:
            path = folder / (f"{stem}.json" if number == 1 else f"{stem}-{number}.json")
            try:
                os.link(made, path)
            except FileExistsError:
                number += 1
                continue
            return path
    finally:
        Path(made).unlink()


def load(path: Path) -> Capsule:
    """Read a capsule; CapsuleError with a sentence when the file is none or cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(capsules.TEXT_BYTES + 1)
    except OSError as error:
        raise CapsuleError(f"{path} cannot be read: {error.strerror}") from None
    return capsules.read(data.decode("utf-8", "replace"))
