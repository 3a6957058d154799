"""GridLock, as slowly and plainly as the rule text puts it."""


def start(settings, seed):
    size = int(settings.get("size", "10"))
    return {
        "size": size,
        "wrap": settings.get("wrap", "off") == "on",
        "corner locks": settings.get("corner-locks", "on") == "on",
        "cursors": {"P1": (0, 0), "P2": (size - 1, size - 1)},
        "locks": [],
        "player": "P1",
        "phase": "movement",
        "arrived": None,
    }


def opponent(player):
    return "P2" if player == "P1" else "P1"


def corner(state, player):
    last = state["size"] - 1
    return (0, 0) if player == "P1" else (last, last)


def empty_neighbours(state):
    """Empty cells above, below, left and right of the cursor of the player whose turn it is."""
    row, column = state["cursors"][state["player"]]
    size = state["size"]
    neighbours = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    if state["wrap"]:
        neighbours = [(row % size, column % size) for row, column in neighbours]
    return [
        (row, column)
        for row, column in neighbours
        if 0 <= row < size
        and 0 <= column < size
        and (row, column) not in state["locks"]
        and (row, column) not in state["cursors"].values()
    ]


def choices(state):
    cells = empty_neighbours(state)
    if state["phase"] == "lock placement" and not state["corner locks"]:
        cells = [cell for cell in cells if cell not in (corner(state, "P1"), corner(state, "P2"))]
    return sorted(cells)


def replies(state):
    if state["arrived"]:
        return []
    return [f"{row} {column}" for row, column in choices(state)]


def play(state, reply):
    row, column = reply.split()
    cell = (int(row), int(column))
    player = state["player"]
    if state["phase"] == "lock placement":
        return next_player({**state, "locks": [*state["locks"], cell]})
    moved = {**state, "cursors": {**state["cursors"], player: cell}, "phase": "lock placement"}
    if cell == corner(state, opponent(player)):
        return {**moved, "arrived": player}
    return moved if choices(moved) else next_player(moved)


def next_player(state):
    return {**state, "player": opponent(state["player"]), "phase": "movement"}


def outcome(state):
    if state["arrived"]:
        return state["arrived"], "arrival"
    if not choices(state):
        return opponent(state["player"]), "immobilised"
    return None


def seat(state):
    return None if outcome(state) else state["player"]
