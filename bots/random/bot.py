"""Any available reply: a bot that knows no rule and plays every game."""

from arena import sdk


def choose(match: sdk.Match) -> str:
    return match.random.choice(match.available)


sdk.run(choose)
