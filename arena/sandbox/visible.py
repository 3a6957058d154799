"""What of our file system a bot gets to see: the system, its own folder, and what its interpreter needs.

Nothing is shown because a bot asks for it: a stranger's manifest may name any path. Places outside the system
are shown when the program that is started was found on the arena's own PATH, or when the user typed the path.
"""

import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.bot import Bot, Source

BOT = Path("/bot")
"""Where a bot finds its own folder."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
_SETTINGS = ("ld.so.cache", "alternatives", "java-*", "localtime", "php", "mono")
"""What interpreters read in /etc; names of users, keys and hosts stay outside."""
_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class View:
    """Paths shown read-only under their own names, and links to make; the bot's folder is not among them."""

    shown: tuple[Path, ...]
    links: tuple[tuple[str, str], ...] = ()
    """Target and place of each link."""

    def holds(self, path: str | Path) -> bool:
        """Whether a path lies in what is shown."""
        return any(Path(path).is_relative_to(root) for root in self.shown)


@cache
def system_view() -> View:
    """Programs and libraries of this system, and the settings interpreters read."""
    shown: list[Path] = []
    links: list[tuple[str, str]] = []
    settings = sorted(found for pattern in _SETTINGS for found in Path("/etc").glob(pattern))
    for path in (*map(Path, _SYSTEM), *settings):
        if path.is_symlink():
            links.append((str(path.readlink()), str(path)))
        elif path.exists():
            shown.append(path)
    return View(tuple(shown), tuple(links))


def own_paths(bot: Bot) -> tuple[tuple[Path, Path], ...]:
    """What a bot is made of, with the place of each: its folder, or some of what is there.

    A command line typed in one's home gets to see the files that it names, never all the rest.
    """
    names = bot.files
    if bot.source is Source.COMMAND and Path.home().is_relative_to(bot.folder):
        names = tuple(w for w in bot.command if not w.startswith("/") and (bot.folder / w).is_file())
    elif not names:
        return ((bot.folder, BOT),)
    return tuple((bot.folder / name, BOT / name) for name in names)


def view_of(bot: Bot) -> View:
    """All that this bot sees beside its own folder."""
    system = system_view()
    shown = list(system.shown)
    for path in _interpreter(bot) if _is_trusted(bot) else ():
        if not View(tuple(shown)).holds(path) and not path.is_relative_to(bot.folder):
            shown.append(path)
    return View(tuple(shown), system.links)


def _is_trusted(bot: Bot) -> bool:
    """Whether the program was chosen by us or by the user, and not by whoever wrote the bot."""
    program = Path(bot.command[0])
    if bot.source is Source.COMMAND or bot.command[0] == sys.executable:
        return True
    return str(program.parent) in os.environ.get("PATH", os.defpath).split(os.pathsep)


def _interpreter(bot: Bot) -> list[Path]:
    """The folders that a program outside the system is installed in, and the arena's package for Python."""
    found = [prefix for step in link_chain(bot.command[0]) for prefix in _prefixes(step)]
    if bot.command[0] == sys.executable:
        found.append(_PACKAGE)
    if bot.source is Source.COMMAND:
        found += [path for word in bot.command[1:] if word.startswith("/") and (path := Path(word)).exists()]
    # The shortest first, so that what lies inside another is not bound again.
    return sorted(set(found), key=lambda path: len(path.parts))


def link_chain(program: str) -> list[Path]:
    """The program, what it links to, and so on to the file itself."""
    chain = [Path(program)]
    while chain[-1].is_symlink() and len(chain) < 40:
        chain.append(chain[-1].parent / chain[-1].readlink())
    return [*chain, chain[-1].resolve()]


def _prefixes(program: Path) -> list[Path]:
    """Where the program at one step of the chain is installed: the folder above its `bin` if that is safe."""
    program = Path(os.path.normpath(program))
    prefix = program.parent.parent
    settings = prefix / "pyvenv.cfg"
    if settings.is_file():
        return [prefix, *_base_of_environment(settings)]
    return [program.parent if _is_private(prefix) else prefix]


def _base_of_environment(settings: Path) -> list[Path]:
    """The Python that a virtual environment was made from."""
    for line in settings.read_text(encoding="utf-8", errors="replace").splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home" and value.strip().startswith("/"):
            home = Path(value.strip())
            return [home if _is_private(home.parent) else home.parent]
    return []


def _is_private(prefix: Path) -> bool:
    """Whether a folder holds more than an installation: somebody's home, keys beside programs, everything."""
    home = Path.home()
    return home.is_relative_to(prefix) or prefix in (
        home / ".local",
        home / ".cargo",
        Path("/opt"),
        Path("/"),
    )
