"""A person at the table: a bot that shows each position at a terminal and lets somebody choose the reply.

`arena play` starts this as a process like any bot's, `python -m arena.cli.person IN OUT`, with two
descriptors of the terminal: its standard streams belong to the referee.
"""

import sys
from typing import TextIO

from arena import sdk
from arena.cli.common import listed, printable
from arena.game import ReplyError
from arena.games import load_game
from arena.wire import RESIGN

LINE_CHARACTERS = 1000
"""What is read at once; nobody types a longer reply."""
_HELP = ("?", "help")


class Person:
    """Chooses by asking; what cannot be played is refused here, so that a slip costs no strike."""

    def __init__(self, source: TextIO, screen: TextIO) -> None:
        self._source = source
        self._screen = screen
        self._told = 0
        """Plies that this person knows about."""

    def choose(self, match: sdk.Match) -> str:
        """Show what has happened, then ask until there is a reply that can be played."""
        self._tell(match)
        asks = next((p.asks for p in load_game(match.game).prompts if p.name == match.prompt), "")
        self._say(f"{match.prompt}: {asks}")
        self._say(listed("", match.available))
        while True:
            text = self._line(f"{match.seat} {match.prompt}> ")
            if text is None or text.lower() == RESIGN:
                return RESIGN
            if text.lower() in _HELP:
                self._say(listed("", match.available))
                self._say(f"'resign' or Ctrl-D gives up; 'arena rules {match.game}' explains the game")
            elif text:
                try:
                    return match.position.parse(text)
                except ReplyError as error:
                    self._say(printable(str(error)))

    def _tell(self, match: sdk.Match) -> None:
        for seat, prompt, reply in match.played[self._told :]:
            if seat != match.seat:
                self._say(f"{seat} {prompt}> {reply}")
        self._told = len(match.played)
        self._say(f"\n{match.position.diagram()}")
        for key, value in match.position.state().items():
            self._say(f"{key}: {value}")

    def _line(self, prompt: str) -> str | None:
        """One line without blanks around it; None at the end of the input."""
        self._say(prompt, end="")
        line = self._source.readline(LINE_CHARACTERS)
        return line.strip() if line else None

    def _say(self, text: str, end: str = "\n") -> None:
        print(text, end=end, file=self._screen, flush=True)


def main(source: int, screen: int) -> None:
    """Play on the referee's standard streams, and talk to the person on these descriptors."""
    with (
        open(source, encoding="utf-8", errors="replace") as lines,
        open(screen, "w", encoding="utf-8", errors="replace") as shown,
    ):
        sdk.run(Person(lines, shown).choose)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
