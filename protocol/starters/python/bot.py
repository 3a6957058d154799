"""A bot for the arena in plain Python: the standard library is all it needs.

The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, write
to stderr, or print a line that begins with "#": it is kept with the ply and shown in the replay.

    arena check .      does it speak the protocol?
    arena submit .     put it on the roster
"""

import random
import sys


class Match:
    """What the arena has told about the match that is being played."""

    def __init__(self, game="", options=()):
        self.game = game  # "gridlock", ...
        self.options = dict(options)  # those that differ from the game's defaults: {"wrap": "on"}
        self.seat = "P1"  # yours
        self.board = []  # the rows from top to bottom; 'arena rules GAME' explains the characters
        self.state = {}  # what the board does not show, such as barriers in hand
        self.plies = []  # the plies you were told about: ("P2", "move", "8 9"), oldest first
        self.time_ms = 1000  # what is left for this turn
        self.random = random.Random(0)


def choose(match, prompt, replies):
    """Choose one of the replies to a prompt such as "move" or "lock"."""
    # ------------------------------------------------------------------------------
    # YOUR IDEA HERE. Look at match.board, match.plies and match.time_ms, and return
    # the best of the replies. This one takes any.
    return match.random.choice(replies)
    # ------------------------------------------------------------------------------


def pairs(text):
    """Read "key=value key=value"."""
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


def main():
    match = Match()
    for line in sys.stdin:
        word, _, rest = line.rstrip("\r\n").partition(" ")
        if word == "game":  # a new match; many can follow each other in one process
            game, _, options = rest.partition(" ")
            match = Match(game, pairs(options))
        elif word == "seat":
            match.seat = rest
        elif word == "seed":
            match.random = random.Random(rest)
        elif word == "board":
            match.board = rest.split("/")
        elif word == "state":
            match.state = pairs(rest)
        elif word == "played":
            match.plies.append(tuple(rest.split(" ", 2)))
        elif word == "time":
            match.time_ms = int(rest.split(" ")[0])
        elif word == "error":  # the last reply was refused; the prompt comes again
            print("refused:", rest, file=sys.stderr)
        elif word == "?":
            prompt, *replies = rest.split(" | ")
            print(choose(match, prompt, replies), flush=True)


main()
