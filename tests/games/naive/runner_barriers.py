"""Grid Runner with barriers, written straight from the rule text: sets of cell names, nothing clever."""

from functools import lru_cache

COLUMNS = "ABCDE"
ROWS = "12345"
CELLS = [column + row for row in ROWS for column in COLUMNS]
CORNER = {"P1": "A1", "P2": "E5"}
OTHER = {"P1": "P2", "P2": "P1"}


def start(settings, seed):
    state = {
        "settings": settings,
        "mover": "P1",
        "runners": dict(CORNER),
        "barriers": set(),
        "left": {"P1": 3, "P2": 3},
        "turns": 0,
        "boards": [],
        "won": None,
    }
    state["boards"].append(_board(state))
    _end_if_over(state)
    return state


def seat(state):
    return None if state["won"] else state["mover"]


def outcome(state):
    return state["won"]


def replies(state):
    return [] if state["won"] else state["actions"] or ["pass"]


def play(state, reply):
    new = {
        **state,
        "runners": dict(state["runners"]),
        "barriers": set(state["barriers"]),
        "left": dict(state["left"]),
        "boards": list(state["boards"]),
        "turns": state["turns"] + 1,
        "mover": OTHER[state["mover"]],
    }
    mover = state["mover"]
    if reply.startswith("BARRIER "):
        new["barriers"].add(reply.removeprefix("BARRIER "))
        new["left"][mover] -= 1
    elif reply.startswith("MOVE "):
        cell = reply.removeprefix("MOVE ")
        new["runners"][mover] = cell
        if cell == state["runners"][OTHER[mover]]:
            new["won"] = (mover, "capture")
        elif cell == CORNER[OTHER[mover]]:
            new["won"] = (mover, "arrival")
    if reply != "pass":
        new["boards"].append(_board(new))
    if not new["won"]:
        _end_if_over(new)
    return new


def _board(state):
    return (state["runners"]["P1"], state["runners"]["P2"], frozenset(state["barriers"]))


@lru_cache(maxsize=100)
def _neighbours(cell):
    column, row = COLUMNS.index(cell[0]), ROWS.index(cell[1])
    found = []
    for c, r in ((column, row - 1), (column - 1, row), (column + 1, row), (column, row + 1)):
        if 0 <= c < 5 and 0 <= r < 5:
            found.append(COLUMNS[c] + ROWS[r])
    return found


@lru_cache(maxsize=100_000)
def _steps_to_goal(player, runner, barriers):
    """Length of the shortest path without barriers, or None. Runners do not block paths."""
    goal = CORNER[OTHER[player]]
    if goal in barriers:
        return None
    distance = {runner: 0}
    queue = [runner]
    for cell in queue:
        if cell == goal:
            return distance[cell]
        for near in _neighbours(cell):
            if near not in barriers and near not in distance:
                distance[near] = distance[cell] + 1
                queue.append(near)
    return None


def _moves_on_the_board(state, player):
    other = state["runners"][OTHER[player]]
    return [
        cell
        for cell in _neighbours(state["runners"][player])
        if cell not in state["barriers"] and (cell != other or state["settings"]["capture"] == "on")
    ]


def _barriers_on_the_board(state, player):
    if state["left"][player] == 0:
        return []
    found = []
    for cell in CELLS:
        if cell in state["barriers"] or cell in state["runners"].values():
            continue
        if state["settings"]["adjacent-barriers"] == "banned" and cell in _neighbours(
            state["runners"][player]
        ):
            continue
        barriers = state["barriers"] | {cell}
        if all(_has_an_escape(state, each, barriers) for each in ("P1", "P2")):
            found.append(cell)
    return found


def _has_an_escape(state, player, barriers):
    runner = state["runners"][player]
    if state["settings"]["enclosure"] == "path":
        return _steps_to_goal(player, runner, frozenset(barriers)) is not None
    return any(near not in barriers for near in _neighbours(runner))


def _actions(state, player):
    """Everything the player may do, in canonical notation; moves that repeat a board are left out."""
    actions = []
    for cell in _moves_on_the_board(state, player):
        after = {**state, "runners": {**state["runners"], player: cell}}
        if state["settings"]["repetition"] == "allowed" or _board(after) not in state["boards"]:
            actions.append(f"MOVE {cell}")
    return actions + [f"BARRIER {cell}" for cell in _barriers_on_the_board(state, player)]


def _end_if_over(state):
    mover, other = state["mover"], OTHER[state["mover"]]
    state["actions"] = _actions(state, mover)
    if not state["actions"] and _moves_on_the_board(state, mover):
        state["won"] = (other, "repetition")
        return
    nobody_can_act = not (
        state["actions"] or _moves_on_the_board(state, other) or _barriers_on_the_board(state, other)
    )
    if nobody_can_act or str(state["turns"]) == state["settings"]["turn-limit"]:
        state["won"] = _shorter_path(state)


def _shorter_path(state):
    length = {}
    for player in ("P1", "P2"):
        steps = _steps_to_goal(player, state["runners"][player], frozenset(state["barriers"]))
        length[player] = 1000 if steps is None else steps
    return ("P1" if length["P1"] <= length["P2"] else "P2", "adjudicated")
