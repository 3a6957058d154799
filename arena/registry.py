"""Submitted bots on disk: `bots/submitted/NAME/VERSION/` with `registration.json` and the files in `bot/`."""

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.bot import BotError, Manifest
from arena.workspace import Workspace

_FORM = "registration.json"
_FILES = "bot"
_UNFINISHED = ".unfinished-"


@dataclass(frozen=True)
class Registration:
    """One version of a submitted bot. `submitted` is a UTC date that sorts as text; the last is current."""

    manifest: Manifest
    version: str
    submitted: str
    folder: Path

    @property
    def name(self) -> str:
        """The name it was registered under."""
        return self.manifest.name


def registrations(workspace: Workspace, name: str | None = None) -> list[Registration]:
    """All versions of one bot, or of all bots, oldest first; what is not a registration is passed over."""
    pattern = f"{name or '*'}/*/{_FORM}"
    if name is not None and ("/" in name or not name or set(name) & set("*?[\0")):
        return []
    found = (_read(form) for form in workspace.submitted.glob(pattern) if not _is_unfinished(form))
    return sorted((r for r in found if r is not None), key=lambda r: (r.name, r.submitted, r.version))


def _is_unfinished(form: Path) -> bool:
    return form.parent.parent.name.startswith(_UNFINISHED)


def _read(form: Path) -> Registration | None:
    try:
        values = json.loads(form.read_text(encoding="utf-8"))
        manifest = Manifest(
            run=tuple(values["run"]),
            name=form.parent.parent.name,
            author=values["author"],
            language=values["language"],
            games=tuple(values["games"]),
            description=values["description"],
            environment=tuple((key, value) for key, value in values["environment"]),
        )
        return Registration(manifest, form.parent.name, values["submitted"], form.parent / _FILES)
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextlib.contextmanager
def unfinished_folder(workspace: Workspace) -> Iterator[Path]:
    """A fresh folder beside the registered bots; whatever is left of it at the end is removed.

    Folders that this makes on the way (`bots/submitted`) go again when they stay empty.
    """
    missing = [p for p in (workspace.submitted, *workspace.submitted.parents) if not p.exists()]
    try:
        workspace.submitted.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=workspace.submitted))
    except OSError as error:
        raise BotError(f"{workspace.submitted} cannot be written: {error.strerror}") from None
    try:
        (folder / _FILES).mkdir()
        yield folder / _FILES
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            for parent in missing:
                parent.rmdir()


def register(workspace: Workspace, files: Path, manifest: Manifest, version: str, date: str) -> Registration:
    """Make an unfinished folder a registered version, in one step; one that is there becomes current."""
    values = asdict(manifest)
    del values["name"], values["build"]
    form = json.dumps({**values, "version": version, "submitted": date}, indent=2) + "\n"
    unfinished = files.parent
    (unfinished / _FORM).write_text(form, encoding="utf-8")
    unfinished.chmod(0o755)  # mkdtemp's 0700 would keep a bot that runs as another user out of its own folder
    target = workspace.submitted / manifest.name / version
    target.parent.mkdir(exist_ok=True)
    try:
        unfinished.rename(target)
    except OSError:
        if not (target / _FORM).is_file():
            raise
        replacement = target / f"{_FORM}.new"
        replacement.write_text(form, encoding="utf-8")
        replacement.replace(target / _FORM)
    return Registration(manifest, version, date, target / _FILES)


def remove(workspace: Workspace, found: list[Registration]) -> None:
    """Delete these versions; each disappears from the roster in one step before its files go."""
    for registration in found:
        folder = registration.folder.parent
        gone = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=workspace.submitted))
        folder.rename(gone / folder.name)
        shutil.rmtree(gone, ignore_errors=True)
        with contextlib.suppress(OSError):
            folder.parent.rmdir()
