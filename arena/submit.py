"""Taking a bot in: copy, build, check, register. Whatever goes wrong on the way leaves nothing behind."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from arena import archive
from arena.bot import (
    Bot,
    BotError,
    Manifest,
    Source,
    checked_games,
    checked_name,
    content_version,
    name_from,
)
from arena.builder import StepRunner, build
from arena.check import Check, problems
from arena.games import game_ids
from arena.match import VoidMatch
from arena.registry import register, registrations, unfinished_folder
from arena.roster import bundled_names, described, folder_manifest
from arena.sandbox import Sandbox
from arena.sandbox.building import step_runner
from arena.toolchains import file_recipe, resolve
from arena.workspace import File, open_workspace, read_file, read_folder, write_files

Checker = Callable[[Bot], Iterable[str]]
"""Plays with a bot and says what is wrong with it, one sentence for each problem."""


@dataclass(frozen=True)
class Submission:
    """What became of a submission: the bot, and whether this very version was there before."""

    bot: Bot
    known: bool


def submit(
    path: Path,
    *,
    home: Path | None = None,
    name: str | None = None,
    games: Iterable[str] = (),
    checker: Checker,
    runner: StepRunner | None = None,
    taken: Mapping[str, Path] | None = None,
) -> Submission:
    """Register a script, source file, program, folder or archive; raises BotError with the reason if refused.

    `name` and `games` go before what the manifest says. `runner` carries out the build steps (by default
    in the strongest sandbox there is), `checker` the conformance check. `taken` are names that went to others
    of the same lot, and to which.
    """
    files = _read(path)
    workspace = open_workspace(home)
    with unfinished_folder(workspace) as folder:
        write_files(files, folder)
        manifest = _manifest(path, folder)
        manifest = replace(
            manifest,
            name=_free_name(name or manifest.name or _name_of(path), taken or {}),
            games=checked_games(games, game_ids()) or manifest.games,
        )
        version = content_version(files)
        known = any(r.version == version for r in registrations(workspace, manifest.name))
        build(manifest.build, folder, runner or step_runner())
        command = resolve(manifest.run, folder)
        bot = described(manifest, version, folder, Source.SUBMITTED)
        problems = list(checker(replace(bot, command=command)))
        if problems:
            first = " " if len(problems) == 1 else "\n"  # several stand below each other
            raise BotError(f"{manifest.name} does not pass the check:{first}" + "\n".join(problems))
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        kept = register(workspace, folder, manifest, version, now)
    ready = described(manifest, version, kept.folder, Source.SUBMITTED)
    return Submission(replace(ready, command=resolve(manifest.run, kept.folder)), known)


def conformance(sandbox: Sandbox, turn_ns: int = 10**9) -> Checker:
    """The checker behind `arena check`: whole matches in every game of the bot, and what may surprise it."""

    def check(bot: Bot) -> list[str]:
        try:
            return problems(Check(bot, bot.games or game_ids(), sandbox, turn_ns).findings())
        except VoidMatch as void:
            return [f"the check could not be carried out: {void}"]

    return check


def _read(path: Path) -> list[File]:
    try:
        if path.is_dir():
            return read_folder(path)
        return archive.unpack(path) if archive.is_archive(path) else [read_file(path)]
    except OSError as error:
        raise BotError(f"{path} cannot be read: {error.strerror}") from None


def _manifest(path: Path, folder: Path) -> Manifest:
    """What the copy in `folder` says of itself: by then it is a folder, or the file that was given."""
    lone_file = not path.is_dir() and not archive.is_archive(path)
    return file_recipe(folder / path.name) if lone_file else folder_manifest(folder)


def _name_of(path: Path) -> str:
    if path.is_dir():
        return name_from(path.resolve().name)
    return name_from(archive.stem(path))


def _free_name(name: str, taken: Mapping[str, Path]) -> str:
    checked_name(name)
    if name in taken:
        raise BotError(
            f"the name {name} has just gone to {taken[name]}: submit this one by itself with --name"
        )
    if name.lower() in {bundled.lower() for bundled in bundled_names()}:
        raise BotError(f"the name {name} belongs to a bundled bot: choose another with --name")
    return name
