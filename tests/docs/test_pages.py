"""The pages: no command, option or ruling without a word, no dead link, nothing of one machine."""

import re
import subprocess
from pathlib import Path

import pytest

from arena.cli import every_command
from arena.games import game_ids, load_game

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "DESIGN.md",
    ROOT / "CHANGELOG.md",
    ROOT / "results" / "README.md",
    *sorted((ROOT / "protocol").rglob("*.md")),
]
COMMANDS = [path for path, _ in every_command() if path != "arena"]
LINK = re.compile(r"\[[^\]\n]+\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def named(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command):
    word = re.compile(rf"\b{re.escape(command)}\b")
    assert any(word.search(page.read_text(encoding="utf-8")) for page in PAGES), (
        f"'{command}' is on no page: give it a section under Commands in README.md"
    )


@pytest.mark.parametrize("game_id", game_ids())
def test_the_notation_page_names_every_option_and_ruling(game_id):
    page = ROOT / "protocol" / "games" / f"{game_id}.md"
    assert page.exists(), f"{game_id} has no notation page protocol/games/{game_id}.md"
    text = page.read_text(encoding="utf-8")
    game = load_game(game_id)
    words = {option.key for option in game.options} | {ruling.id for ruling in game.rulings}
    words |= {prompt.name for prompt in game.prompts}
    missing = {word for word in words if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)}
    assert not missing


def slug(heading):
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", "")).replace(" ", "-")


def anchors(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    dead = []
    for target in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue  # another site: not looked at, tests need no network
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            dead.append(target)
    assert not dead


def shipped_files():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    hidden = {".tox", ".git", "build", "dist", "venv", ".venv"}
    return [p for p in ROOT.rglob("*") if p.is_file() and not hidden & set(p.relative_to(ROOT).parts)]


MACHINE = re.compile(
    r"(?<![\w.~/-])/(?:work|farm|root|home/\w+|Users/\w+)/"  # where somebody happened to work
    r"|(?:extra-)?index-url|PIP_INDEX"  # where somebody happened to get packages from
)


def test_nothing_of_one_machine_is_written_down():
    found = []
    for path in shipped_files():
        if not path.is_file() or path == Path(__file__).resolve():
            continue
        text = path.read_bytes().decode("utf-8", "ignore")
        found += [f"{named(path)}: {match[0]}" for match in MACHINE.finditer(text)]
    assert not found


def test_the_readme_begins_with_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first_screen = "\n".join(text.splitlines()[:40])
    assert "pip install . && arena tournament --game gridlock" in first_screen
    assert "pip install tox && tox" in first_screen
