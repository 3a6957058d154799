"""Finding, submitting, listing and removing bots: real files, real builds, real processes."""

import json
import os
import shutil
import sys
import time
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena import builder, process_tree
from arena.bot import BotError, Source
from arena.cli import cli
from arena.registry import registrations
from arena.roster import find_bot, list_bots, list_versions, playable_bots
from arena.sandbox import Basic
from arena.submit import conformance, submit
from arena.workspace import MAX_BYTES, MAX_FILES, open_workspace

ANY_REPLY = (Path(__file__).parent / "languages" / "any_reply.py").read_text(encoding="utf-8")


def content(bot):
    return ANY_REPLY + f"# {bot}\n"


def accept(bot):
    return []


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A home, a cache and bundled bots of our own; the current folder is the home."""
    home, bundled = tmp_path / "home", tmp_path / "bundled"
    home.mkdir()
    for name, manifest in {
        "random": 'run = ["python3", "bot.py"]\nlanguage = "python"\ndescription = "any reply"',
        "exotic": 'run = ["./bot"]\nbuild = ["no-such-compiler", "bot.x"]\ngames = ["gridlock"]',
    }.items():
        (bundled / name).mkdir(parents=True)
        (bundled / name / "bot.toml").write_text(manifest)
        (bundled / name / "bot.py").write_text(content(name))
    monkeypatch.setattr("arena.roster.data_folder", lambda _: bundled)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ARENA_HOME", raising=False)
    monkeypatch.chdir(home)
    return home


def write(path, text, executable=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if executable:
        path.chmod(0o755)
    return path


# Finding


def test_bundled_bot_runs_on_our_interpreter_and_can_import_arena(place):
    bot = find_bot("random")
    assert bot.command == (sys.executable, "bot.py")
    assert bot.source is Source.BUNDLED
    assert (Path(dict(bot.environment)["PYTHONPATH"]) / "arena" / "bot.py").is_file()


def test_bundled_bot_without_its_toolchain_is_listed_and_left_out(place):
    exotic, random = list_bots()
    assert "no-such-compiler is needed" in exotic.unavailable
    assert not random.unavailable
    ready, left_out = playable_bots("gridlock")
    assert [bot.name for bot in ready] == ["random"]
    assert [bot.name for bot in left_out] == ["exotic"]
    assert playable_bots("blockade")[1] == []
    with pytest.raises(BotError, match="exotic cannot run on this machine: no-such-compiler"):
        find_bot("exotic")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("randm", "did you mean 'random'?"),
        ("zzzzz", "there are exotic, random"),
        ("./nothing.py", "no file or folder"),
        ("", "there is no bot"),
        ("random@", "no version beginning with"),
        ("random@000000000000", "no version beginning with"),
        ("'open quote", "cannot be split"),
        ("no-such-program --fast", "no-such-program is needed"),
        ("perl", "give its path"),
        ("x" * 5000, "there is no bot"),
        ("a\0b", "there is no bot"),
        ("notes.txt", "no shebang line"),
        ("empty", "there is no bot.toml"),
        ("bots.zip", "arena submit bots.zip"),
    ],
)
def test_what_cannot_be_found_is_answered_with_a_hint(text, words, place):
    write(place / "notes.txt", "hello")
    write(place / "bots.zip", "")
    (place / "empty").mkdir()
    if text == "perl" and not shutil.which("perl"):
        pytest.skip("perl is missing")
    with pytest.raises(BotError) as caught:
        find_bot(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_name_wins_over_a_file_of_that_name(place):
    write(place / "random", "#!/bin/sh\n", executable=True)
    assert find_bot("random").source is Source.BUNDLED
    assert find_bot("./random").source is Source.PATH


@pytest.mark.parametrize(
    ("name", "first_line", "command", "language"),
    [
        ("bot", "#!/usr/bin/env python3", (sys.executable, "bot"), "python"),
        ("bot", "#!/usr/bin/python3 -u", (sys.executable, "-u", "bot"), "python"),
        ("bot", "#! /usr/bin/env -S sh -e", (shutil.which("sh"), "-e", "bot"), "bash"),
        ("bot.py", "#!/bin/sh", ("/bin/sh", "bot.py"), "bash"),
        ("bot.sh", "", (shutil.which("bash"), "bot.sh"), "bash"),
        ("BOT.PY", "", (sys.executable, "BOT.PY"), "python"),
    ],
)
def test_shebang_goes_before_suffix(name, first_line, command, language, place):
    bot = find_bot(str(write(place / "x" / name, first_line + "\n")))
    assert bot.command == command
    assert bot.language == language
    assert bot.folder == place / "x"


def test_program_is_run_as_it_is(place):
    shutil.copy(shutil.which("true"), place / "engine")
    bot = find_bot("./engine")
    assert (bot.command, bot.language, bot.name) == ((str(place / "engine"),), "executable", "engine")


def test_command_line_runs_here_and_its_version_covers_words_and_files(place):
    write(place / "mine.py", "1")
    first = find_bot("python3 mine.py --depth 3")
    assert first.command == (sys.executable, "mine.py", "--depth", "3")
    assert (first.name, first.folder, first.source) == ("mine", place, Source.COMMAND)
    assert find_bot("python3 mine.py --depth 4").version != first.version
    assert find_bot("python3 mine.py --depth 3").version == first.version
    write(place / "mine.py", "2")
    assert find_bot("python3 mine.py --depth 3").version != first.version


def test_folder_with_one_program_needs_no_manifest(place):
    write(place / "mine" / "bot.py", "1")
    write(place / "mine" / "helper.py", "2")
    write(place / "mine" / "notes.md", "3")
    assert find_bot("mine").command == (sys.executable, "bot.py")


@pytest.mark.processes
def test_build_happens_once_in_the_cache_and_never_in_the_source(place, tmp_path):
    build = "cp src bot; date +%s%N > built"
    write(place / "mine" / "bot.toml", f"run = ['./bot']\nbuild = ['sh', '-c', '{build}']")
    write(place / "mine" / "src", "#!/bin/sh\n", executable=True)
    first = find_bot("mine")
    built = (first.folder / "built").read_text()
    assert find_bot("mine") == first
    assert (first.folder / "built").read_text() == built
    assert first.folder.is_relative_to(tmp_path / "cache")
    assert sorted(path.name for path in (place / "mine").iterdir()) == ["bot.toml", "src"]
    write(place / "mine" / "src", "#!/bin/sh\n#\n", executable=True)
    changed = find_bot("mine")
    assert changed.version != first.version
    assert (changed.folder / "built").read_text() != built


def test_folder_whose_links_point_outside_is_refused(place):
    write(place / "mine" / "bot.py", "1")
    (place / "mine" / "data").symlink_to("/etc/passwd")
    with pytest.raises(BotError, match="data is a link that points outside"):
        find_bot("mine")


def test_folder_of_a_folder_that_is_linked_outside_is_refused(place):
    write(place / "mine" / "bot.py", "1")
    (place / "mine" / "data").symlink_to("/etc")
    with pytest.raises(BotError, match="data is a link that points outside"):
        find_bot("mine")


def test_folder_beyond_the_limits_is_refused(place):
    write(place / "mine" / "bot.py", "1")
    for n in range(MAX_FILES):
        (place / "mine" / f"f{n}").touch()
    with pytest.raises(BotError, match="more than 2,000 files"):
        find_bot("mine")
    with (place / "large.py").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(BotError, match="larger than 64 MiB"):
        find_bot("large.py")


# Submitting


def test_versions_stay_playable(place):
    old = submit(write(place / "mine.py", content(1)), checker=accept).bot
    new = submit(write(place / "mine.py", content(2)), checker=accept).bot
    assert old.version != new.version
    assert find_bot("mine") == new
    assert find_bot(f"mine@{old.version[:6]}") == old
    assert [bot.version for bot in list_versions("mine")] == [old.version, new.version]
    assert (old.folder / "mine.py").read_text() == content(1)
    back = submit(write(place / "mine.py", content(1)), checker=accept)
    assert back.known
    assert find_bot("mine") == old


def test_folder_and_its_zip_are_the_same_version(place):
    write(place / "mine" / "bot.py", content(1))
    write(place / "mine" / "bot.toml", 'run = "python3 bot.py"\nname = "zipped"')
    with zipfile.ZipFile(place / "any.zip", "w") as packed:
        for path in sorted((place / "mine").iterdir()):
            packed.write(path, f"top/{path.name}")
    from_folder = submit(place / "mine", checker=accept)
    from_zip = submit(place / "any.zip", checker=accept)
    assert (from_zip.bot, from_zip.known) == (from_folder.bot, True)


def test_archive_gives_its_name_to_a_bot_without_one(place):
    with zipfile.ZipFile(place / "clever.zip", "w") as packed:
        packed.writestr("main.py", content(1))
    assert submit(place / "clever.zip", checker=accept).bot.name == "clever"


def test_name_and_games_of_the_command_line_go_first(place):
    write(place / "mine" / "bot.py", content(1))
    write(place / "mine" / "bot.toml", 'run = "python3 bot.py"\nname = "a"\ngames = ["blockade"]')
    bot = submit(place / "mine", name="b", games=["gridlock"], checker=accept).bot
    assert (bot.name, bot.games) == ("b", ("gridlock",))
    assert find_bot("b").games == ("gridlock",)
    assert submit(place / "mine", checker=accept).bot.games == ("blockade",)


def test_copied_workspace_works_elsewhere(place, tmp_path):
    submit(write(place / "mine.py", content(1)), checker=accept)
    shutil.move(place / "bots", tmp_path / "moved" / "bots")
    assert find_bot("mine", tmp_path / "moved").folder.is_relative_to(tmp_path / "moved")


def refusal(place, path, words, **more):
    """The refusal, after making sure that nothing is left behind."""
    before = sorted(str(p) for p in place.rglob("*"))
    with pytest.raises(BotError) as caught:
        submit(path, **{"checker": accept, **more})
    assert words in str(caught.value)
    assert sorted(str(p) for p in place.rglob("*")) == before
    return str(caught.value)


@pytest.mark.parametrize("name", ["random", "RANDOM", "../evil", "a b", "submitted", ".hidden"])
def test_names_that_are_taken_or_unsafe_are_refused(name, place):
    words = "bundled bot" if name.lower() == "random" else "cannot be the name"
    refusal(place, write(place / "mine.py", content(1)), words, name=name)


def test_unknown_game_is_refused(place):
    refusal(place, write(place / "mine.py", content(1)), "did you mean 'gridlock'?", games=["gridlok"])


def test_failed_check_is_refused(place):
    refusal(
        place,
        write(place / "mine.py", content(1)),
        "does not pass the check: too slow",
        checker=lambda _: ["too slow"],
    )


def test_refusal_leaves_the_other_versions(place):
    old = submit(write(place / "mine.py", content(1)), checker=accept).bot
    refusal(place, write(place / "mine.py", content(2)), "too slow", checker=lambda _: ["too slow"])
    assert find_bot("mine") == old


@pytest.mark.processes
def test_build_that_fails_is_refused_with_its_last_lines(place):
    script = "for i in $(seq 50000); do echo line $i; done; echo bot.c:3: error: expected expression; exit 3"
    write(place / "mine" / "bot.toml", f"run = ['./bot']\nbuild = ['sh', '-c', '{script}']")
    said = refusal(place, place / "mine", "failed with status 3")
    assert said.splitlines()[-1] == "bot.c:3: error: expected expression"
    assert len(said.splitlines()) <= 21


@pytest.mark.processes
def test_compiler_names_the_error(place):
    if not shutil.which("gcc"):
        pytest.skip("NOT TESTED: gcc is missing")
    refusal(place, write(place / "mine.c", "int main(void) { return }"), "error: expected expression")


def test_missing_compiler_is_named_with_what_to_install(place, monkeypatch):
    monkeypatch.setenv("PATH", str(place))
    for name, package in {
        "a.c": "gcc libc6-dev",
        "a.rs": "rustc",
        "a.js": "nodejs",
        "a.hs": "ghc",
        "a.rb": "ruby",
    }.items():
        refusal(place, write(place / name, ""), f"apt install {package}")


def test_run_that_the_build_did_not_make_is_refused(place):
    write(place / "mine" / "bot.toml", "run = ['./bot']\nbuild = ['true']")
    refusal(place, place / "mine", "there is no program ./bot")


@pytest.mark.processes
def test_build_that_takes_too_long_is_ended_with_its_children(place, monkeypatch):
    monkeypatch.setattr(builder, "BUILD_SECONDS", 1.0)
    script = f"sleep {SLEEPER} & wait"
    write(place / "mine" / "bot.toml", f"run = ['./bot']\nbuild = ['sh', '-c', '{script}']")
    refusal(place, place / "mine", "did not finish within 1 seconds")
    assert not sleeps()


@pytest.mark.processes
def test_build_that_leaves_a_child_behind_is_over_when_it_ends(place):
    script = f"cp /bin/true bot; sleep {SLEEPER} &"
    write(place / "mine" / "bot.toml", f"run = ['./bot']\nbuild = ['sh', '-c', '{script}']")
    submit(place / "mine", checker=accept)
    assert not sleeps()


SLEEPER = f"1000.{os.getpid()}"
"""A number of seconds that no other process on this machine sleeps."""


def sleeps():
    """Whether the sleeper is still there after the moment that a killed process takes to go."""
    for _ in range(200):
        found = [task.pid for task in process_tree.all_tasks().values() if task.state != "Z"]
        if not any(SLEEPER.encode() in command_line(pid) for pid in found):
            return False
        time.sleep(0.05)
    return True


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_build_sees_no_secrets(place, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    write(place / "mine" / "bot.toml", "run = ['./bot']\nbuild = ['sh', '-c', 'env; exit 1']")
    assert "MY_TOKEN" not in refusal(place, place / "mine", "failed with status 1")


def test_a_sandbox_may_run_the_build(place):
    seen = []

    def runner(words, folder, environment, seconds):
        seen.append(Path(words[0]).name)
        (folder / "bot").write_text("#!/bin/sh\n")
        return builder.StepResult(0, "")

    write(place / "mine" / "bot.toml", "run = ['./bot']\nbuild = [['sh', '1'], ['sh', '2']]")
    assert submit(place / "mine", checker=accept, runner=runner).bot.command[0].endswith("/bot")
    assert seen == ["sh", "sh"]


@pytest.mark.processes
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; sys.exit('no idea')", "no idea"),
        ("while True: print('nonsense', flush=True)", "received `nonsense`"),
    ],
)
def test_bot_that_does_not_play_is_refused(code, words, place):
    refusal(place, write(place / "mine.py", code), words, games=["gridlock"], checker=conformance(Basic()))


def test_half_written_registration_is_passed_over(place):
    submit(write(place / "mine.py", content(1)), checker=accept)
    broken = open_workspace().submitted / "mine" / ("0" * 12)
    write(broken / "registration.json", "{")
    assert len(registrations(open_workspace())) == 1


# Commands


def arena(*words):
    return CliRunner().invoke(cli, words)


@pytest.mark.processes
def test_commands_from_submit_to_remove(place):
    write(place / "mine.py", content(1))
    done = arena("submit", "mine.py", "--game", "blockade", "--sandbox", "basic", "--json")
    assert done.exit_code == 0, done.output
    version = json.loads(done.stdout)["version"]
    listed = json.loads(arena("bots", "--json").stdout)
    assert {bot["name"]: bot["source"] for bot in listed} == {
        "exotic": "bundled",
        "mine": "submitted",
        "random": "bundled",
    }
    assert "mine" not in arena("bots", "--game", "gridlock").stdout
    shown = json.loads(arena("bots", "show", f"mine@{version[:5]}", "--json").stdout)
    assert (shown["version"], shown["versions"]) == (version, [version])
    assert arena("bots", "remove", "random", "--yes").exit_code == 2
    assert arena("bots", "remove", "mine").exit_code == 1  # nobody answers
    assert arena("bots", "remove", "mine", "--yes").output == f"removed mine@{version}\n"
    assert arena("bots", "show", "mine").exit_code == 2
    assert not list((place / "bots" / "submitted").iterdir())


def test_refused_submission_has_exit_status_1(place):
    write(place / "mine.py", content(1))
    done = arena("submit", "mine.py", "--name", "random")
    assert (done.exit_code, "bundled bot" in done.stderr) == (1, True)


@pytest.mark.processes
def test_several_are_taken_or_refused_one_by_one(place):
    write(place / "one.py", content(1))
    write(place / "two.c", "int main( {")
    write(place / "sub" / "one.py", content(2))
    lot = ("submit", "one.py", "two.c", "sub/one.py", "--game", "blockade", "--sandbox", "basic")
    done = arena(*lot)
    assert done.exit_code == 1
    first, second, *compiler, third, last = done.stdout.splitlines()
    assert first.startswith("[1/3]")
    assert first.endswith(": registered")
    assert "?" not in first + second  # no colour was taken for a stranger's escape code
    assert second.startswith("[2/3]")
    assert "two.c: the build step" in second
    assert any("error" in line for line in compiler)
    assert len(compiler) <= 4
    assert "the name one has just gone to one.py" in third
    assert last == "1 of 3 are on the roster: 'arena bots' lists it"
    found = [json.loads(line) for line in arena(*lot, "--json").stdout.splitlines()]
    assert [(each["path"], "refused" in each) for each in found] == [
        ("one.py", False),
        ("two.c", True),
        ("sub/one.py", True),
    ]
    assert arena("submit", "one.py", "two.c", "--name", "x").exit_code == 2


@pytest.mark.parametrize("how", ["option", "variable"])
def test_home_is_chosen(how, place, tmp_path, monkeypatch):
    home = tmp_path / "elsewhere"
    submit(write(place / "mine.py", content(1)), home=home, checker=accept)
    if how == "variable":
        monkeypatch.setenv("ARENA_HOME", str(home))
        done = arena("bots", "show", "mine")
    else:
        done = arena("bots", "--home", str(home), "show", "mine")
    assert done.exit_code == 0
    assert str(home) in done.stdout


def test_new_writes_a_kit_once(place):
    assert arena("new", "c++", "fast").exit_code == 0
    assert 'name = "fast"' in (place / "fast" / "bot.toml").read_text()
    again = arena("new", "cpp", "fast")
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)
    assert "did you mean 'python'?" in arena("new", "pyton", "x").stderr
    assert "cannot be the name" in arena("new", "python", "../x").stderr
    assert arena("new").exit_code == 2
    assert {"c", "python-sdk", "tcl"} <= {
        kit["language"] for kit in json.loads(arena("new", "--list", "--json").stdout)
    }
