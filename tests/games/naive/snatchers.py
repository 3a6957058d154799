"""Grid Snatchers, as slowly and plainly as the rule text puts it."""


def start(settings, seed):
    limit = settings.get("turn-limit", "off")
    tokens = {"P1": (1, 1), "P2": (5, 5)}
    return {
        "up": settings.get("up", "forward"),
        "repetition": settings.get("repetition", "forbidden"),
        "limit": None if limit == "off" else int(limit),
        "tokens": tokens,
        "boards": [tokens],
        "direction": None,
        "player": "P1",
        "turns": 0,
    }


def opponent(player):
    return "P2" if player == "P1" else "P1"


def one_space(state, cell, direction):
    x, y = cell
    if direction == "left":
        return (x - 1, y)
    if direction == "right":
        return (x + 1, y)
    upwards = -1 if state["up"] == "screen" or state["player"] == "P2" else 1
    return (x, y + upwards) if direction == "up" else (x, y - upwards)


def tokens_after(state, direction, spaces):
    """Where the tokens stand after the move, or None when it goes off the grid or through the other token."""
    player = state["player"]
    there = state["tokens"][opponent(player)]
    cell = state["tokens"][player]
    for count in range(spaces):
        if count and cell == there:
            return None
        cell = one_space(state, cell, direction)
        if not (1 <= cell[0] <= 5 and 1 <= cell[1] <= 5):
            return None
    return {**state["tokens"], player: cell}


def turn_is_valid(state, direction, spaces):
    tokens = tokens_after(state, direction, spaces)
    if tokens is None:
        return False
    return state["repetition"] == "allowed" or tokens not in state["boards"]


def turns_available(state):
    return [
        (direction, spaces)
        for direction in ["up", "down", "left", "right"]
        for spaces in [1, 2]
        if turn_is_valid(state, direction, spaces)
    ]


def replies(state):
    if outcome(state):
        return []
    if state["direction"]:
        return [
            str(spaces) for direction, spaces in turns_available(state) if direction == state["direction"]
        ]
    return list(dict.fromkeys(direction for direction, _ in turns_available(state)))


def play(state, reply):
    if state["direction"] is None:
        return {**state, "direction": reply}
    tokens = tokens_after(state, state["direction"], int(reply))
    return {
        **state,
        "tokens": tokens,
        "boards": [*state["boards"], tokens],
        "direction": None,
        "player": opponent(state["player"]),
        "turns": state["turns"] + 1,
    }


def outcome(state):
    if state["tokens"]["P1"] == state["tokens"]["P2"]:
        return opponent(state["player"]), "capture"
    if not turns_available(state):
        return opponent(state["player"]), "repetition"
    if state["turns"] == state["limit"]:
        return "P2", "adjudicated"
    return None


def seat(state):
    return None if outcome(state) else state["player"]
