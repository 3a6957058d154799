"""Grid Runner with walls, written straight from the rule text: lists of (row, column), nothing clever.

The draw of the walls is done again here: five (or `walls`) different cells of columns 2 to 4, as the standard
library's generator samples them, and again from the same generator while they leave no way across.
"""

import random

OTHER = {"P1": "P2", "P2": "P1"}
START_COLUMN = {"P1": 1, "P2": 5}
GOAL_COLUMN = {"P1": 5, "P2": 1}
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def start(settings, seed):
    state = {
        "settings": settings,
        "walls": _walls(settings, seed),
        "mover": "P1",
        "runners": {},
        "turns": 0,
        "boards": [],
        "won": None,
    }
    _end_if_over(state)
    return state


def seat(state):
    return None if state["won"] else state["mover"]


def outcome(state):
    return state["won"]


def replies(state):
    if state["won"]:
        return []
    if state["mover"] not in state["runners"]:
        return ["1", "2", "3", "4", "5"]
    return _new_moves(state) or ["pass"]


def play(state, reply):
    mover = state["mover"]
    new = {**state, "runners": dict(state["runners"]), "boards": list(state["boards"])}
    new["turns"] += 1
    new["mover"] = OTHER[mover]
    if reply in STEPS:
        new["runners"][mover] = _cell_after(state, reply)
        if new["runners"][mover][1] == GOAL_COLUMN[mover]:
            new["won"] = (mover, "arrival")
    elif reply != "pass":
        new["runners"][mover] = (int(reply), START_COLUMN[mover])
    if reply != "pass" and len(new["runners"]) == 2:
        new["boards"].append((new["runners"]["P1"], new["runners"]["P2"]))
    if not new["won"]:
        _end_if_over(new)
    return new


def _walls(settings, seed):
    if settings["layout"] != "drawn":
        cells = settings["layout"].strip("()").split(")(")
        return [tuple(int(number) for number in cell.split(",")) for cell in cells]
    inner = [(row, column) for row in (1, 2, 3, 4, 5) for column in (2, 3, 4)]
    generator = random.Random(seed)
    while True:
        walls = generator.sample(inner, int(settings["walls"]))
        if _steps_to_column([(row, 1) for row in (1, 2, 3, 4, 5)], 5, walls) is not None:
            return walls


def _steps_to_column(starts, column, walls):
    distance = dict.fromkeys(starts, 0)
    queue = list(starts)
    for row, col in queue:
        if col == column:
            return distance[row, col]
        for down, right in STEPS.values():
            near = (row + down, col + right)
            if 1 <= near[0] <= 5 and 1 <= near[1] <= 5 and near not in walls and near not in distance:
                distance[near] = distance[row, col] + 1
                queue.append(near)
    return None


def _cell_after(state, direction):
    row, column = state["runners"][state["mover"]]
    return row + STEPS[direction][0], column + STEPS[direction][1]


def _moves_on_the_board(state):
    moves = []
    for direction in STEPS:
        row, column = cell = _cell_after(state, direction)
        inside = 1 <= row <= 5 and 1 <= column <= 5
        if inside and cell not in state["walls"] and cell != state["runners"][OTHER[state["mover"]]]:
            moves.append(direction)
    return moves


def _new_moves(state):
    if state["settings"]["repetition"] == "allowed":
        return _moves_on_the_board(state)
    new = []
    for direction in _moves_on_the_board(state):
        runners = {**state["runners"], state["mover"]: _cell_after(state, direction)}
        if (runners["P1"], runners["P2"]) not in state["boards"]:
            new.append(direction)
    return new


def _end_if_over(state):
    mover = state["mover"]
    if mover in state["runners"] and _moves_on_the_board(state) and not _new_moves(state):
        state["won"] = (OTHER[mover], "repetition")
    elif str(state["turns"]) == state["settings"]["turn-limit"]:
        length = {}
        for player in ("P1", "P2"):
            if player in state["runners"]:
                starts = [state["runners"][player]]
            else:
                starts = [(row, START_COLUMN[player]) for row in (1, 2, 3, 4, 5)]
            length[player] = _steps_to_column(starts, GOAL_COLUMN[player], state["walls"])
        state["won"] = ("P1" if length["P1"] <= length["P2"] else "P2", "adjudicated")
