"""`arena games` and `arena rules`: a person and a program learn the same from them."""

import json

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.games import game_ids, load_game


def arena(*arguments):
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == 0, result.stderr
    return result.stdout


def flat(text):
    return " ".join(text.split())


def test_games_lists_them_all():
    page = arena("games")
    assert [line.split()[0] for line in page.splitlines() if line[:1].isalpha()] == list(game_ids())
    assert all(flat(load_game(game_id).goal) in flat(page) for game_id in game_ids())
    assert max(map(len, page.splitlines())) <= 100


def test_games_as_json():
    found = json.loads(arena("games", "--json"))
    assert [game["id"] for game in found] == list(game_ids())
    assert found[0].keys() == {"id", "title", "goal", "prompts", "options"}


@pytest.mark.parametrize("game_id", game_ids())
def test_rules_say_all_there_is(game_id):
    game = load_game(game_id)
    page = flat(arena("rules", game_id))
    assert flat(game.goal) in page
    assert flat(game.notation) in page
    assert flat(game.play) in page
    for prompt in game.prompts:
        assert flat(f"{prompt.name}: {prompt.asks}") in page
    for option in game.options:
        assert flat(f"{option.key}={option.values}: {option.meaning}") in page
    for ruling in game.rulings:
        assert flat(f"{ruling.id}: {ruling.text}") in page
    assert "Worked example" in page
    assert flat(game.start(game.example.options, game.example.seed).diagram()) in page
    assert max(map(len, arena("rules", game_id).splitlines())) <= 100


@pytest.mark.parametrize("game_id", game_ids())
def test_rules_as_json(game_id):
    game = load_game(game_id)
    found = json.loads(arena("rules", game_id, "--json"))
    assert found["id"] == game_id
    assert [ruling["id"] for ruling in found["rulings"]] == [ruling.id for ruling in game.rulings]
    assert {option["key"]: option["default"] for option in found["options"]} == game.settings(
        {option.key: option.default for option in game.options}
    )
    assert found["example"]["final"]["final"] is True


@pytest.mark.parametrize("game_id", game_ids())
def test_the_worked_example_is_legal_and_of_some_length(game_id):
    lines = json.loads(arena("rules", game_id, "--json"))["example"]["lines"]
    assert len(lines) >= 4
    assert {line["verdict"] for line in lines} == {"legal"}, lines


@pytest.mark.parametrize("game_id", game_ids())
def test_the_worked_example_as_printed_can_be_judged(game_id):
    example = load_game(game_id).example
    printed = [line for line in arena("rules", game_id).splitlines() if line.startswith(("  P1>", "  P2>"))]
    options = [part for key, value in example.options.items() for part in ("-o", f"{key}={value}")]
    result = CliRunner().invoke(
        cli, ["judge", game_id, "--seed", str(example.seed), *options], input="\n".join(printed)
    )
    assert result.exit_code == 0, result.output
    assert len(printed) == len(example.lines)


@pytest.mark.parametrize("game_id", game_ids())
def test_a_ruling_names_only_options_that_exist(game_id):
    game = load_game(game_id)
    keys = {option.key for option in game.options}
    assert {ruling.option for ruling in game.rulings if ruling.option} <= keys
