"""Manifests, names and versions: tables of text in, values or a sentence out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bot import BotError, Manifest, checked_name, content_version, name_from, read_manifest

GAMES = ("blockade", "gridlock")

READ = {
    'run = ["python3", "bot.py"]': Manifest(("python3", "bot.py")),
    "run = \"python3 -u 'my bot.py'\"": Manifest(("python3", "-u", "my bot.py")),
    'run = "./b"\nbuild = "cc -o b b.c"': Manifest(("./b",), build=(("cc", "-o", "b", "b.c"),)),
    'run = "./b"\nbuild = ["cc", "b.c"]': Manifest(("./b",), build=(("cc", "b.c"),)),
    'run = "./b"\nbuild = [["a", "1"], ["b"]]': Manifest(("./b",), build=(("a", "1"), ("b",))),
    'run = "./b"\nbuild = []': Manifest(("./b",)),
    'run = "b"\nname = "x-1"\nauthor = " Ada "\nlanguage = "c"\ndescription = "d"': Manifest(
        ("b",), name="x-1", author="Ada", language="c", description="d"
    ),
    'run = "b"\ngames = ["gridlock", "gridlock"]': Manifest(("b",), games=("gridlock",)),
    'run = "b"\ngames = "gridlock"': Manifest(("b",), games=("gridlock",)),
    'run = "b"\n[environment]\nNODES = 500\nMODE = "fast"': Manifest(
        ("b",), environment=(("NODES", "500"), ("MODE", "fast"))
    ),
}


@pytest.mark.parametrize("text", READ)
def test_manifest_is_read(text):
    assert read_manifest(text, GAMES) == READ[text]


REFUSED = {
    "": "does not say how to start",
    "run = ": "not valid TOML",
    "run = []": "not a command",
    "run = 3": "not a command",
    'run = ["a", 3]': "not a command",
    'run = [""]': "empty first word",
    'run = ["a\\u0000b"]': "NUL",
    'run = "a \'b"': "cannot be split",
    'run = "a"\nruns = 1': "did you mean 'run'?",
    'run = "a"\nzzz = 1': "it has name, author",
    'run = "a"\nname = "../x"': "cannot be the name",
    'run = "a"\nauthor = "two\\nlines"': "one line",
    'run = "a"\nauthor = 3': "one line",
    'run = "a"\ngames = ["gridlok"]': "did you mean 'gridlock'?",
    'run = "a"\ngames = 3': "must be a list",
    'run = "a"\nbuild = 3': "not a command",
    'run = "a"\nbuild = [["a"], "b"]': "not a command",
    'run = "a"\nenvironment = 1': "must be a table",
    'run = "a"\n[environment]\n"A B" = "x"': "no program could read",
    'run = "a"\n[environment]\nA = [1]': "a text or a number",
}


@pytest.mark.parametrize("text", REFUSED)
def test_manifest_is_refused_with_a_sentence(text):
    with pytest.raises(BotError) as caught:
        read_manifest(text, GAMES)
    assert REFUSED[text] in str(caught.value)


@pytest.mark.parametrize("name", ["a", "Bot-2", "x.y_z+1", "9lives", "a" * 40])
def test_safe_names(name):
    assert checked_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", ".a", "-a", "a/b", "a b", "a@b", "a\n", "é", "a" * 41, "submitted", "SUBMITTED", "[b]"],
)
def test_unsafe_names(name):
    with pytest.raises(BotError, match="cannot be the name of a bot"):
        checked_name(name)


@given(st.text(max_size=80))
def test_name_made_from_any_text_is_safe(text):
    assert checked_name(name_from(text))


def test_a_name_keeps_its_letters_without_accents():
    assert name_from("Zoë Müller") == "Zoe-Muller"


FILES = [("a.py", False, b"1"), ("b/c", True, b"2")]


def test_version_does_not_depend_on_the_order():
    assert content_version(FILES) == content_version(FILES[::-1])
    assert len(content_version(FILES)) == 12


@pytest.mark.parametrize(
    "other",
    [
        [("a.py", False, b"1")],
        [("a.py", True, b"1"), ("b/c", True, b"2")],
        [("a.py", False, b"1x"), ("b/c", True, b"2")],
        [("a", False, b".py1"), ("b/c", True, b"2")],
        [("a.py", False, b"1"), ("b/d", True, b"2")],
    ],
)
def test_version_tells_every_difference(other):
    assert content_version(other) != content_version(FILES)
