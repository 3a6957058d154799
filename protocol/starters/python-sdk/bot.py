"""A bot for the arena in Python with the arena's SDK, which reads the protocol and knows the rules.

For debugging, print as you like (it goes to stderr), or call match.remark("..."): the remark is kept with the
ply and shown in the replay.

    arena check .      does it speak the protocol?
    arena submit .     put it on the roster
"""

from arena import sdk


def choose(match: sdk.Match) -> str:
    """Choose one of match.available, the replies to a prompt (match.prompt) such as "move" or "lock"."""
    # ------------------------------------------------------------------------------
    # YOUR IDEA HERE. match.position.apply(reply) is the position after a reply, and
    # its outcome, seat and available() let you search; match.played are the plies so
    # far, match.board the board as text; go on while match.time_left is true.
    # This one takes a reply that wins at once, or else any.
    for reply in match.available:
        outcome = match.position.apply(reply).outcome
        if outcome is not None and outcome.winner is match.seat:
            return reply
    return match.random.choice(match.available)
    # ------------------------------------------------------------------------------


sdk.run(choose)
