"""Blockade, as slowly and plainly as the rule text puts it."""


def start(settings, seed):
    size = int(settings.get("size", "5"))
    return {
        "cells": [(row, column) for row in range(1, size + 1) for column in range(1, size + 1)],
        "tokens": {"P1": [], "P2": []},
        "player": "P1",
    }


def opponent(player):
    return "P2" if player == "P1" else "P1"


def adjacent(cell, token):
    return cell != token and abs(cell[0] - token[0]) <= 1 and abs(cell[1] - token[1]) <= 1


def valid(state, cell):
    player = state["player"]
    taken = state["tokens"]["P1"] + state["tokens"]["P2"]
    opposing = state["tokens"][opponent(player)]
    return cell not in taken and not any(adjacent(cell, token) for token in opposing)


def replies(state):
    return [f"{row} {column}" for row, column in state["cells"] if valid(state, (row, column))]


def play(state, reply):
    row, column = reply.split()
    player = state["player"]
    tokens = {seat: list(cells) for seat, cells in state["tokens"].items()}
    tokens[player].append((int(row), int(column)))
    return {"cells": state["cells"], "tokens": tokens, "player": opponent(player)}


def outcome(state):
    if replies(state):
        return None
    return opponent(state["player"]), "blocked"


def seat(state):
    return None if outcome(state) else state["player"]
