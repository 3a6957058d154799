"""Starter kits: a small bot in each language, ready to play, with one marked place for the author's idea."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from arena.bot import MANIFEST, BotError, checked_name, did_you_mean, read_manifest
from arena.data import data_folder
from arena.toolchains import LANGUAGES, missing_tool

_PLACEHOLDER = 'name = "my-bot"'
_ALIASES = {
    "c++": "cpp",
    "cxx": "cpp",
    "js": "javascript",
    "node": "javascript",
    "ts": "typescript",
    "py": "python",
    "python3": "python",
    "sdk": "python-sdk",
    "rs": "rust",
    "golang": "go",
    "sh": "bash",
    "shell": "bash",
    "rb": "ruby",
    "pl": "perl",
}
_TITLES = {**{language.id: language.title for language in LANGUAGES}, "python-sdk": "Python with arena.sdk"}


@dataclass(frozen=True)
class Starter:
    """One kit: `missing` says what has to be installed before it runs here."""

    id: str
    title: str
    folder: Path
    missing: str


def list_starters() -> list[Starter]:
    """All kits, by id."""
    forms = sorted((data_folder("protocol") / "starters").glob(f"*/{MANIFEST}"))
    return [_starter(form.parent) for form in forms]


def _starter(folder: Path) -> Starter:
    manifest = read_manifest((folder / MANIFEST).read_text(encoding="utf-8"))
    commands = manifest.build or (manifest.run,)
    missing = next((said for words in commands if (said := missing_tool(words, folder))), "")
    return Starter(folder.name, _TITLES.get(folder.name, folder.name), folder, missing)


def find_starter(language: str) -> Starter:
    """The kit of a language, by its id or a usual name for it; raises BotError for an unknown one."""
    kits = {starter.id: starter for starter in list_starters()}
    wanted = language.lower()
    found = kits.get(_ALIASES.get(wanted, wanted))
    if found is None:
        hint = did_you_mean(wanted, kits) or f"there are {', '.join(kits)}"
        raise BotError(f"there is no starter kit for {language[:40]!r}; {hint}")
    return found


def write_starter(starter: Starter, name: str, folder: Path) -> list[Path]:
    """Write a kit into a folder that is new or empty, and give its files; raises BotError otherwise."""
    checked_name(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BotError(f"{folder} is there already: choose another name, or remove it first")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for source in sorted(path for path in starter.folder.iterdir() if path.is_file()):
            target = folder / source.name
            shutil.copyfile(source, target)
            written.append(target)
        form = folder / MANIFEST
        text = form.read_text(encoding="utf-8")
        form.write_text(text.replace(_PLACEHOLDER, f'name = "{name}"', 1), encoding="utf-8")
    except OSError as error:
        raise BotError(f"{folder} cannot be written: {error.strerror}") from None
    return written
