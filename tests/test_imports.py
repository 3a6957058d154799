"""The direction of imports, as the table of rooms in DESIGN.md has it.

Rows above the line "edge" are pure: they may import only the rooms named in MAY_ENTER, and nothing that
touches the operating system. Every module stands in the table.
"""

import ast
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import arena

PACKAGE = Path(arena.__file__).parent
DESIGN = Path(__file__).parent.parent / "DESIGN.md"

MAY_ENTER = {
    "game interface": set(),
    "games": {"game interface"},
    "wire codec": set(),
    "limits": {"wire codec"},
    "judge": {"game interface", "wire codec"},
    "record": {"game interface", "wire codec", "limits"},
    "bots": set(),
    "referee": {"game interface", "games", "wire codec", "limits", "record"},
    "schedule, ratings, standings": {"game interface", "games", "limits", "record", "referee"},
    "report": {"game interface", "games", "limits", "record", "schedule, ratings, standings"},
    # Not pure (stdin, the clock), but light: bots import them every time they start.
    "sdk": {"game interface", "games", "wire codec"},
    "search": {"game interface", "games", "sdk"},
}
"""Whom each room may import besides itself. The other rooms of the edge may enter all rooms but ONLY_FOR."""

ONLY_FOR = {"cli": {"package"}, "doctor, bench": {"cli"}, "sdk": {"search", "cli"}, "search": set()}
"""Rooms at the very outside, and who may import them."""

OPERATING_SYSTEM = frozenset(
    """
    asyncio concurrent ctypes fcntl glob http io logging mmap multiprocessing os platform pty resource sched
    select selectors shutil signal socket socketserver sqlite3 ssl subprocess sys tempfile termios threading
    time tty urllib webbrowser
    """.split()  # noqa: SIM905  # a list of forty quoted words reads worse
)
"""Modules of the standard library that a pure room does without."""

TALKS_ANYWAY = {
    "arena.games": {"os"},  # the list of games is the list of files, and pathlib is slow to import
}
"""Exceptions, each with its reason."""

HEAVY = {"altair", "jinja2", "matplotlib", "numpy", "pandas", "pyarrow", "rich", "trueskill"}


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py")) if "_data" not in path.parts}


def table():
    """Rooms of DESIGN.md: (name, patterns of file names, pure)."""
    rooms = []
    pure = True
    for line in DESIGN.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 3 or not line.startswith("|"):
            continue
        pure = pure and cells[0] != "**edge**"
        if patterns := re.findall(r"`(arena/[^`]*)`", cells[1]):
            rooms.append((cells[0], patterns, pure))
    return rooms


ROOMS = table()
PURE = {name for name, _, pure in ROOMS if pure}


def room_of(module):
    file = SOURCES[module].relative_to(PACKAGE.parent).as_posix()
    found = [
        name
        for name, patterns, _ in ROOMS
        if any(
            file == p or (p.endswith("/") and file.startswith(p)) or fnmatchcase(file, p) for p in patterns
        )
    ]
    assert len(found) == 1, (
        f"{file} stands in {len(found)} rooms of the table in DESIGN.md: enter it in one row, "
        "above **edge** when it is pure (values in, values out)"
    )
    return found[0]


def imports(module):
    """(names of imported modules of ours, top-level names of all others), wherever the import stands."""
    path = SOURCES[module]
    ours, others = set(), set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [[alias.name] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute here"
            # `from arena import wire` names a module, `from arena.wire import RESIGN` a thing in one.
            targets = [[f"{node.module}.{alias.name}", node.module] for alias in node.names]
        else:
            continue
        for names in targets:
            known = next((name for name in names if name in SOURCES), None)
            if known:
                ours.add(known)
            else:
                others.add(names[-1].partition(".")[0])
    return ours - {module}, others


GRAPH = {module: imports(module) for module in SOURCES}


def test_the_table_was_read():
    assert {"games", "wire codec", "referee"} <= PURE
    assert set(MAY_ENTER) >= PURE, f"say in MAY_ENTER whom {PURE - set(MAY_ENTER)} may import"
    assert {name for name, _, _ in ROOMS} >= set(MAY_ENTER) | set(ONLY_FOR)


@pytest.mark.parametrize("module", SOURCES)
def test_every_module_stands_in_one_room(module):
    room_of(module)


@pytest.mark.parametrize("module", SOURCES)
def test_a_room_imports_only_what_it_may(module):
    room = room_of(module)
    for target in GRAPH[module][0]:
        other = room_of(target)
        if other == room or target == "arena":  # the version
            continue
        if room in MAY_ENTER:
            assert other in MAY_ENTER[room], f"{module} ({room}) imports {target} ({other})"
        else:
            allowed = ONLY_FOR.get(other)
            assert allowed is None or room in allowed, f"{module} ({room}) imports {target} ({other})"


@pytest.mark.parametrize("module", [name for name in SOURCES if name.startswith("arena.games.")])
def test_a_game_knows_the_interface_and_no_other_game(module):
    assert GRAPH[module][0] <= {"arena.game", "arena.grid"}


@pytest.mark.parametrize("module", SOURCES)
def test_a_pure_room_has_no_door_to_the_machine(module):
    if room_of(module) not in PURE:
        return
    assert GRAPH[module][1] & OPERATING_SYSTEM <= TALKS_ANYWAY.get(module, set())
    tree = ast.parse(SOURCES[module].read_text(encoding="utf-8"))
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"open", "print", "input", "exec", "eval"}


@pytest.mark.parametrize("module", SOURCES)
def test_random_numbers_come_from_a_generator_with_a_seed(module):
    """`random.choice()` and its like draw from a generator that nobody seeded."""
    if "random" not in GRAPH[module][1]:
        return  # there the word is a name for something else
    for node in ast.walk(ast.parse(SOURCES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "random":
            assert node.attr in {"Random", "SystemRandom"}, (
                f"{module}, line {node.lineno}: random.{node.attr}"
            )
        if isinstance(node, ast.ImportFrom) and node.module == "random":
            assert {alias.name for alias in node.names} <= {"Random", "SystemRandom"}


def test_there_are_no_cycles():
    left = {module: set(ours) for module, (ours, _) in GRAPH.items()}
    while free := [module for module, needs in left.items() if not needs & left.keys()]:
        for module in free:
            del left[module]
    assert not left, f"these import each other: {', '.join(sorted(left))}"


def loaded_after(code):
    script = f"{code}\nimport sys; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, timeout=60, check=True, text=True
    )
    return set(result.stdout.split())


def test_no_command_imports_anything_heavy_before_it_runs():
    loaded = loaded_after("from arena.cli import every_command; list(every_command())")
    assert "click" in loaded
    assert not loaded & HEAVY


def test_a_tournament_is_played_before_anything_heavy_is_imported():
    """Workers and bots are forked from it, and a fork takes as long as the memory is large."""
    loaded = loaded_after("import arena.cli.tournament_run, arena.bench._tournament")
    assert "sqlite3" in loaded
    assert not loaded & HEAVY


def test_a_bot_starts_light():
    loaded = loaded_after("import arena.sdk")
    assert not loaded & (HEAVY | {"click", "dataclasses", "inspect", "sqlite3", "asyncio"})
