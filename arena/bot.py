"""What a bot is to the arena: a named program of one version, and how to start it. Plain values."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


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

    @property
    def label(self) -> str:
        """`name@version`, as records, tables and the store write it."""
        return f"{self.name}@{self.version}"

    def plays(self, game: str) -> bool:
        """Whether it says it plays this game."""
        return not self.games or game in self.games
