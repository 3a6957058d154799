"""What a bot is to the arena: a named program of one version, how to start it, its manifest. Plain values."""

import difflib
import hashlib
import re
import shlex
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

VERSION_DIGITS = 12
"""Hexadecimal digits of a version: 48 bits, so two versions of one bot never meet by chance."""
MANIFEST = "bot.toml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYS = ("name", "author", "language", "run", "build", "games", "description", "environment")


class BotError(ValueError):
    """A bot that cannot be read, found, built or taken; the message is a sentence for a person."""


class Source(StrEnum):
    """Where a bot came from."""

    BUNDLED = "bundled"
    SUBMITTED = "submitted"
    PATH = "path"
    COMMAND = "command"


@dataclass(frozen=True)
class Bot:
    """A program that can be started: `command` runs in `folder` with `environment` added to a bare one."""

    name: str
    version: str
    """The first 12 hexadecimal digits of the hash of its content."""
    command: tuple[str, ...]
    folder: Path
    language: str = ""
    author: str = ""
    games: tuple[str, ...] = ()
    """Games it plays; empty for all of them."""
    environment: tuple[tuple[str, str], ...] = ()
    source: Source = Source.COMMAND
    description: str = ""
    unavailable: str = ""
    """Why it cannot be started on this machine and what to install; empty when it can."""
    files: tuple[str, ...] = ()
    """Names in `folder` that are the bot, when other things are there too; empty when the whole folder is."""

    def __hash__(self) -> int:
        return hash((self.name, self.version, self.command))  # of the rest, equality is enough

    @property
    def label(self) -> str:
        """`name@version`, as records, tables and the store write it."""
        return f"{self.name}@{self.version}"

    def plays(self, game: str) -> bool:
        """Whether it says it plays this game."""
        return not self.games or game in self.games


Command = tuple[str, ...]


@dataclass(frozen=True)
class Manifest:
    """What `bot.toml` says. `run` and the steps of `build` are words, started without a shell."""

    run: Command
    name: str = ""
    author: str = ""
    language: str = ""
    build: tuple[Command, ...] = ()
    games: tuple[str, ...] = ()
    description: str = ""
    environment: tuple[tuple[str, str], ...] = ()


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?`, or the empty string when nothing known is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def checked_name(name: str) -> str:
    """The name, when it is safe as a folder, in a table and in `name@version`; raises BotError otherwise."""
    if not _NAME.fullmatch(name) or name.lower() == "submitted":
        raise BotError(
            f"{name[:60]!r} cannot be the name of a bot: use 1 to 40 letters, digits and . _ + -, "
            "beginning with a letter or digit"
        )
    return name


def name_from(text: str) -> str:
    """A safe name made from a file name; letters lose their accents."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    cleaned = re.sub(r"[^A-Za-z0-9._+-]+", "-", plain).strip("._+-")[:40]
    return cleaned if cleaned and cleaned.lower() != "submitted" else "bot"


def content_version(files: Iterable[tuple[str, bool, bytes]]) -> str:
    """Version of files given as (relative name, executable, content); order, owners, dates do not count."""
    total = hashlib.sha256()
    for name, executable, content in sorted(files):
        written = name.encode("utf-8", "surrogateescape")
        for part in (written, b"x" if executable else b"-", content):
            total.update(len(part).to_bytes(8, "big"))
            total.update(part)
    return total.hexdigest()[:VERSION_DIGITS]


def read_manifest(text: str, games: Iterable[str] = ()) -> Manifest:
    """Read the text of a `bot.toml`; `games` are the ids it may name. Raises BotError with a sentence."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BotError(f"{MANIFEST} is not valid TOML: {error}") from None
    for key in values:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f"it has {', '.join(_KEYS)}"
            raise BotError(f"{MANIFEST} has no key {key!r}; {hint}")
    if "run" not in values:
        raise BotError(f'{MANIFEST} does not say how to start the bot: add run = ["python3", "bot.py"]')
    manifest = Manifest(
        run=_words(values["run"], "run"),
        build=_steps(values.get("build", [])),
        games=_games(values.get("games", []), tuple(games)),
        environment=_environment(values.get("environment", {})),
        **{key: _text(values.get(key, ""), key) for key in ("name", "author", "language", "description")},
    )
    return replace(manifest, name=checked_name(manifest.name)) if manifest.name else manifest


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str) or len(value) > 500 or not value.isprintable():
        raise BotError(f"{key} in {MANIFEST} must be one line of text")
    return value.strip()


def _words(value: Any, key: str) -> Command:
    """A command as a list of words, or as one string that is split as a shell would split it."""
    example = f'write {key} = ["python3", "bot.py"] or {key} = "python3 bot.py"'
    if isinstance(value, str):
        try:
            value = shlex.split(value)
        except ValueError as error:
            raise BotError(f"{key} in {MANIFEST} cannot be split into words ({error}): {example}") from None
    if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
        raise BotError(f"{key} in {MANIFEST} is not a command: {example}")
    if not value[0] or any("\0" in word for word in value):
        raise BotError(f"{key} in {MANIFEST} has an empty first word or a NUL character: {example}")
    return tuple(value)


def _steps(value: Any) -> tuple[Command, ...]:
    """One command, or a list of commands that are run one after the other."""
    if not value:
        return ()
    if isinstance(value, list) and all(isinstance(step, list) for step in value):
        return tuple(_words(step, "build") for step in value)
    return (_words(value, "build"),)


def _games(value: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(game, str) for game in value):
        raise BotError(f'games in {MANIFEST} must be a list of names: games = ["gridlock"]')
    return checked_games(value, known)


def checked_games(games: Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    """The games without repeats, when all of them are known; raises BotError otherwise."""
    for game in games:
        if known and game not in known:
            hint = did_you_mean(game, known) or f"there are {', '.join(known)}"
            raise BotError(f"there is no game {game!r}; {hint}")
    return tuple(dict.fromkeys(games))


def _environment(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise BotError(f"environment in {MANIFEST} must be a table of names and texts")
    settings = []
    for key, setting in value.items():
        if isinstance(setting, bool) or not isinstance(setting, str | int | float):
            raise BotError(f"environment variable {key!r} in {MANIFEST} must be a text or a number")
        if not _VARIABLE.fullmatch(key) or "\0" in str(setting):
            raise BotError(
                f"environment variable {key!r} in {MANIFEST} has a name that no program could read"
            )
        settings.append((key, str(setting)))
    return tuple(settings)
