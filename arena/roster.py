"""Finding bots: bundled and submitted ones by name, others by path or command line."""

import contextlib
import os
import platform
import shlex
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from arena.archive import is_archive
from arena.bot import (
    MANIFEST,
    Bot,
    BotError,
    Manifest,
    Source,
    content_version,
    did_you_mean,
    name_from,
    read_manifest,
)
from arena.builder import StepRunner, build
from arena.data import data_folder
from arena.games import game_ids
from arena.registry import Registration, registrations, remove
from arena.sandbox.building import step_runner
from arena.toolchains import file_recipe, is_own_python, known_suffix, missing_tool, resolve
from arena.workspace import File, cache_folder, open_workspace, read_file, read_folder, write_files

_PACKAGE_PARENT = str(Path(__file__).resolve().parent.parent)


def find_bot(text: str, home: Path | None = None) -> Bot:
    """The bot that a user names: `name`, `name@version`, a path, or a command line in one string.

    A name wins over a file of the same name (write `./name` for the file). What has to be compiled is, in a
    cache folder. Raises BotError with a sentence and a hint.
    """
    bot = find_listed(text, home)
    return _ready(bot) if bot.source in (Source.BUNDLED, Source.SUBMITTED) else bot


def find_listed(text: str, home: Path | None = None) -> Bot:
    """As `find_bot`, but a bot of the roster is given as `list_bots` would: it may still need a compiler."""
    by_name = _find_named(text, home)
    if by_name is not None:
        return by_name
    path = Path(text).expanduser()
    if text and _exists(path):
        return path_bot(path)
    words = _command_words(text)
    if len(words) > 1:
        return _command_bot(words)
    raise BotError(_not_found(text, home))


def list_bots(home: Path | None = None) -> list[Bot]:
    """Bundled bots and the current version of each submitted one, by name.

    Nothing is compiled here: `playable_bots` and `find_bot` give bots that can be started. Those that cannot
    run on this machine say why in `unavailable`.
    """
    current = {r.name: r for r in registrations(open_workspace(home))}
    bots = [*_bundled_bots(), *(_submitted_bot(r) for r in current.values())]
    return sorted(bots, key=lambda bot: bot.name)


def list_versions(name: str, home: Path | None = None) -> list[Bot]:
    """Every version of a bot, the current one last; empty for an unknown name."""
    bundled = [bot for bot in _bundled_bots() if bot.name == name]
    return bundled or [_submitted_bot(r) for r in registrations(open_workspace(home), name)]


def playable_bots(game: str, home: Path | None = None) -> tuple[list[Bot], list[Bot]]:
    """Bots of the roster that play a game, ready to start, and those left out (`unavailable` says why)."""
    ready, left_out = [], []
    for bot in list_bots(home):
        if not bot.plays(game):
            continue
        if bot.unavailable:
            left_out.append(bot)
            continue
        try:
            ready.append(_ready(bot))
        except BotError as error:
            left_out.append(replace(bot, unavailable=str(error)))
    return ready, left_out


def find_removable(text: str, home: Path | None = None) -> list[Registration]:
    """The submitted versions meant by `name` (all of them) or `name@version`; raises BotError for others."""
    bot = _find_named(text, home)
    if bot is None:
        raise BotError(_not_found(text, home))
    if bot.source is Source.BUNDLED:
        raise BotError(f"{bot.name} is a bundled bot: only bots that were submitted can be removed")
    found = registrations(open_workspace(home), bot.name)
    return [r for r in found if r.version == bot.version] if "@" in text else found


def remove_versions(found: list[Registration], home: Path | None = None) -> None:
    """Delete these versions from the roster."""
    remove(open_workspace(home), found)


def bundled_names() -> frozenset[str]:
    """Names that a submitted bot may not take."""
    return frozenset(bot.name for bot in _bundled_bots())


def path_bot(path: Path) -> Bot:
    """The bot in a file or folder; compiled in the cache when it has to be, else run where it is."""
    manifest, files = read_source(path)
    version = content_version(files)
    folder = path if path.is_dir() else path.parent
    bot = _started(manifest, version, folder.absolute(), files, Source.PATH)
    lone = not path.is_dir() and not manifest.build  # what is beside a lone file is no part of it
    return replace(bot, files=(path.name,)) if lone else bot


def read_source(path: Path) -> tuple[Manifest, list[File]]:
    """Manifest (with a name) and files of a bot in a file or folder; raises BotError."""
    try:
        if path.is_dir():
            manifest = folder_manifest(path)
            name = manifest.name or name_from(path.absolute().name)
            return replace(manifest, name=name), read_folder(path)
        if is_archive(path):
            raise BotError(f"{path.name} is an archive: add it to the roster with: arena submit {path.name}")
        file = read_file(path)
        manifest = file_recipe(path)
    except OSError as error:
        raise BotError(f"{path} cannot be read: {error.strerror}") from None
    return replace(manifest, name=name_from(path.stem)), [file]


def folder_manifest(folder: Path) -> Manifest:
    """What `bot.toml` in a folder says, or the recipe of the one file that can only be the bot.

    The name is empty where the manifest gives none.
    """
    form = folder / MANIFEST
    if form.is_file():
        if form.stat().st_size > 64 * 1024:
            raise BotError(f"{MANIFEST} is larger than 64 KiB: it should be a few lines")
        try:
            return read_manifest(form.read_text(encoding="utf-8"), game_ids())
        except UnicodeDecodeError:
            raise BotError(f"{MANIFEST} is not text in UTF-8") from None
    return file_recipe(_entry(folder))


def _entry(folder: Path) -> Path:
    """The one file of a folder without a manifest that must be the bot."""
    programs = [p for p in sorted(folder.iterdir()) if p.is_file() and known_suffix(p.name)]
    named = [p for p in programs if p.stem.lower() in ("bot", "main")]
    for candidates in (named, programs):
        if len(candidates) == 1:
            return candidates[0]
    raise BotError(
        f"there is no {MANIFEST} in the folder and no single file that must be the bot: "
        f'add a {MANIFEST} with a line such as run = ["python3", "bot.py"]'
    )


def _find_named(text: str, home: Path | None) -> Bot | None:
    name, at, prefix = text.partition("@")
    versions = list_versions(name, home)
    if not versions:
        return None
    if not at:
        return versions[-1]
    matching = [bot for bot in versions if prefix and bot.version.startswith(prefix.lower())]
    if len(matching) == 1:
        return matching[0]
    known = ", ".join(bot.version for bot in versions[-5:])
    problem = "more than one version" if matching else "no version"
    raise BotError(f"{name} has {problem} beginning with {prefix[:20]!r}; there are {known}")


def _bundled_bots() -> list[Bot]:
    bots = []
    for form in sorted(data_folder("bots").glob(f"*/{MANIFEST}")):
        manifest, files = read_source(form.parent)
        bots.append(described(manifest, content_version(files), form.parent, Source.BUNDLED))
    return bots


def _submitted_bot(registration: Registration) -> Bot:
    return described(registration.manifest, registration.version, registration.folder, Source.SUBMITTED)


def described(manifest: Manifest, version: str, folder: Path, source: Source) -> Bot:
    """A bot for a list: its command is still as written, and `unavailable` says which tool is missing."""
    steps = (*manifest.build, manifest.run) if manifest.build else (manifest.run,)
    own_products = manifest.build and "/" in manifest.run[0]  # made by the build, so not there yet
    missing = (missing_tool(words, folder) for words in (manifest.build if own_products else steps))
    return Bot(
        name=manifest.name,
        version=version,
        command=manifest.run,
        folder=folder,
        language=manifest.language,
        author=manifest.author,
        games=manifest.games,
        environment=_environment(manifest),
        source=source,
        description=manifest.description,
        unavailable=next((sentence for sentence in missing if sentence), ""),
    )


def _environment(manifest: Manifest) -> tuple[tuple[str, str], ...]:
    """A bot that runs on the arena's interpreter can import `arena`, installed or not."""
    if not is_own_python(manifest.run):
        return manifest.environment
    return tuple({**dict(arena_path()), **dict(manifest.environment)}.items())


def arena_path() -> tuple[tuple[str, str], ...]:
    """The setting with which a Python program can import `arena`, installed or not."""
    return (("PYTHONPATH", _PACKAGE_PARENT),)


def _ready(bot: Bot) -> Bot:
    """A listed bot made fit to start: bundled ones are compiled when they need it."""
    if bot.unavailable:
        raise BotError(f"{bot.name} cannot run on this machine: {bot.unavailable}")
    if bot.source is Source.SUBMITTED:
        return replace(bot, command=resolve(bot.command, bot.folder))
    manifest, files = read_source(bot.folder)
    return _started(manifest, bot.version, bot.folder, files, bot.source)


def _started(manifest: Manifest, version: str, folder: Path, files: list[File], source: Source) -> Bot:
    if manifest.build:
        folder = compiled(manifest, version, files)
    bot = described(replace(manifest, build=()), version, folder, source)
    return replace(bot, command=resolve(manifest.run, folder), unavailable="")


def compiled(manifest: Manifest, version: str, files: list[File], runner: StepRunner | None = None) -> Path:
    """Folder in the cache with the files and what the build made of them; built once for each content."""
    target = cache_folder() / "bots" / f"{manifest.name}-{version}-{platform.machine()}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=target.parent) as scratch:
        folder = Path(scratch) / "bot"
        folder.mkdir()
        write_files(files, folder)
        build(manifest.build, folder, runner or step_runner())
        # Somebody else may have built the same bot meanwhile; theirs is as good.
        with contextlib.suppress(OSError):
            folder.rename(target)
    if not target.is_dir():
        raise BotError(f"{target} cannot be written")
    return target


def _command_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BotError(f"the command line {text[:80]!r} cannot be split into words: {error}") from None


def _command_bot(words: list[str]) -> Bot:
    """A command line runs in the current folder; its version covers the words and every file among them."""
    folder = Path.cwd()
    paths = [folder / word for word in words if _exists(folder / word) and (folder / word).is_file()]
    files = [(f"file/{path}", *read_file(path)[1:]) for path in paths]
    version = content_version([*files, ("words", False, "\0".join(words).encode("utf-8", "replace"))])
    manifest = Manifest(run=tuple(words), name=name_from(paths[0].stem if paths else Path(words[0]).name))
    bot = described(manifest, version, folder, Source.COMMAND)
    return replace(bot, command=resolve(manifest.run, folder), unavailable="")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name too long or with a NUL is no path
        return False


def _not_found(text: str, home: Path | None) -> str:
    shown = repr(text[:80])
    if os.sep in text:
        return f"there is no file or folder {shown}"
    words = _command_words(text)
    if words and shutil.which(words[0]):
        return (
            f"there is no bot {shown}; to run a program of that name, give its path: {shutil.which(words[0])}"
        )
    names = [bot.name for bot in list_bots(home)]
    return f"there is no bot {shown}; {did_you_mean(text.partition('@')[0], names) or _naming(names)}"


def _naming(names: Iterable[str]) -> str:
    return f"there are {', '.join(names) or 'none yet'}; a path or a quoted command line works too"
