"""What turns a file into a running bot: the command for a suffix or shebang, and what to install for it."""

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath

from arena.bot import BotError, Command, Manifest

_PROBE_SECONDS = 20
"""Node starts in a fifth of a second; a machine that needs longer than this has other worries."""


@dataclass(frozen=True)
class Language:
    """How a lone file is built and run: `{file}` is its name, `{stem}` that without the suffix."""

    id: str
    title: str
    suffixes: tuple[str, ...]
    run: Command
    build: tuple[Command, ...] = ()

    def recipe(self, file: str) -> Manifest:
        """The manifest of a lone file of this language."""
        names = {"file": file, "stem": PurePath(file).stem}

        def fill(words: Command) -> Command:
            return tuple(word.format(**names) for word in words)

        return Manifest(run=fill(self.run), build=tuple(map(fill, self.build)), language=self.id)


# The JVM's serial collector needs one thread less for each core and starts sooner; a bot's heap is small.
_JAVA = ("java", "-XX:+UseSerialGC")
LANGUAGES = (
    Language("python", "Python", (".py",), ("python3", "{file}")),
    Language("javascript", "JavaScript", (".js", ".mjs", ".cjs"), ("node", "{file}")),
    Language("typescript", "TypeScript", (".ts", ".mts"), ("node", "{file}")),
    Language("ruby", "Ruby", (".rb",), ("ruby", "{file}")),
    Language("perl", "Perl", (".pl",), ("perl", "{file}")),
    Language("lua", "Lua", (".lua",), ("lua", "{file}")),
    Language("php", "PHP", (".php",), ("php", "{file}")),
    Language("bash", "Bash", (".sh", ".bash"), ("bash", "{file}")),
    Language("tcl", "Tcl", (".tcl",), ("tclsh", "{file}")),
    Language("java", "Java", (".jar",), (*_JAVA, "-jar", "{file}")),
    Language(
        "java",
        "Java",
        (".java",),
        (*_JAVA, "-cp", ".", "{stem}"),
        (("javac", "-encoding", "UTF-8", "{file}"),),
    ),
    Language("c", "C", (".c",), ("./{stem}.run",), (("gcc", "-O2", "-o", "{stem}.run", "{file}", "-lm"),)),
    Language(
        "cpp",
        "C++",
        (".cpp", ".cc", ".cxx"),
        ("./{stem}.run",),
        (("g++", "-O2", "-std=c++17", "-o", "{stem}.run", "{file}"),),
    ),
    Language(
        "rust",
        "Rust",
        (".rs",),
        ("./{stem}.run",),
        (("rustc", "-O", "--edition", "2021", "-o", "{stem}.run", "{file}"),),
    ),
    Language("go", "Go", (".go",), ("./{stem}.run",), (("go", "build", "-o", "{stem}.run", "{file}"),)),
    Language(
        "haskell", "Haskell", (".hs",), ("./{stem}.run",), (("ghc", "-O", "-o", "{stem}.run", "{file}"),)
    ),
)
_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}

_ALTERNATIVES = {
    "gcc": ("gcc", "cc", "clang"),
    "g++": ("g++", "c++", "clang++"),
    "lua": ("lua", "lua5.4", "lua5.3", "luajit"),
    "node": ("node", "nodejs"),
}
_PACKAGES = {
    "bash": "bash",
    "g++": "g++",
    "gcc": "gcc libc6-dev",
    "ghc": "ghc",
    "go": "golang-go",
    "java": "default-jre-headless",
    "javac": "default-jdk-headless",
    "lua": "lua5.4",
    "make": "make",
    "node": "nodejs",
    "perl": "perl",
    "php": "php-cli",
    "ruby": "ruby",
    "rustc": "rustc",
    "cargo": "cargo",
    "tclsh": "tcl",
}
"""Debian's package for each tool; other systems have names much like them."""

_SHEBANG = re.compile(rb"#!\s*(\S[^\n]*)")
_INTERPRETERS = {
    "python": "python",
    "node": "javascript",
    "ruby": "ruby",
    "perl": "perl",
    "lua": "lua",
    "luajit": "lua",
    "php": "php",
    "bash": "bash",
    "sh": "bash",
    "tclsh": "tcl",
}
_OWN_PYTHON = frozenset({"python", "python3"})


def file_recipe(path: Path) -> Manifest:
    """How to build and run a lone file: its shebang first, then its suffix, then whether it is a program."""
    with path.open("rb") as file:
        head = file.read(256)
    shebang = _SHEBANG.match(head)
    if shebang:
        return _shebang_recipe(shebang[1].decode("utf-8", "replace").strip(), path.name)
    language = _BY_SUFFIX.get(path.suffix.lower())
    if language is not None:
        if path.suffix.lower() == ".java" and not _declares_class(path):
            # A main class of another name: the launcher finds it, at the price of compiling at every start.
            return Manifest(run=(*_JAVA, path.name), language="java")
        return language.recipe(path.name)
    if head.startswith(b"\x7fELF") or path.stat().st_mode & 0o111:
        return Manifest(run=(f"./{path.name}",), language="executable")
    raise BotError(
        f"{path.name} has no shebang line, no suffix that the arena knows ({' '.join(_BY_SUFFIX)}) and is "
        "not executable: add a line such as #!/usr/bin/env python3, or a bot.toml that says how to run it"
    )


def known_suffix(name: str) -> bool:
    """Whether a lone file of this name could be run by its suffix."""
    return PurePath(name).suffix.lower() in _BY_SUFFIX


def _shebang_recipe(line: str, name: str) -> Manifest:
    words = line.split()
    if PurePath(words[0]).name == "env":
        words = [word for word in words[1:] if word not in ("-S", "--split-string")]
    elif PurePath(words[0]).name in _OWN_PYTHON:
        words[0] = PurePath(words[0]).name  # /usr/bin/python3 says which language, not which interpreter
    if not words:
        raise BotError(f"the shebang line of {name} names no interpreter: write #!/usr/bin/env python3")
    family = PurePath(words[0]).name.rstrip("0123456789.")
    return Manifest(run=(*words, name), language=_INTERPRETERS.get(family, family))


def _declares_class(path: Path) -> bool:
    return re.search(rb"\bclass\s+" + path.stem.encode() + rb"\b", path.read_bytes()) is not None


def missing_tool(words: Command, folder: Path) -> str:
    """Why the first word of a command cannot be started here and what to install; empty when it can."""
    if _located(words[0], folder) is None:
        return _what_to_install(words[0])
    if _is_typescript(words) and typescript_flags() is None:
        return "the node here cannot run TypeScript: install Node.js 22.6 or later from nodejs.org"
    return ""


def resolve(words: Command, folder: Path) -> Command:
    """The command with its first word as an absolute path; raises BotError saying what to install.

    `python3` is the arena's own interpreter, so that `arena.sdk` and what is installed beside it can be
    imported; name another by its path or its version (`python3.12`).
    """
    missing = missing_tool(words, folder)
    if missing:
        raise BotError(missing)
    program = _located(words[0], folder)
    assert program is not None
    flags = typescript_flags() if _is_typescript(words) else ()
    return (program, *(flags or ()), *words[1:])


def is_own_python(words: Command) -> bool:
    """Whether a command starts the arena's own interpreter."""
    return words[0] in _OWN_PYTHON


def _located(word: str, folder: Path) -> str | None:
    if word in _OWN_PYTHON:
        return sys.executable
    if "/" in word:
        return str(folder / word) if (folder / word).is_file() else None
    for candidate in _ALTERNATIVES.get(word, (word,)):
        found = shutil.which(candidate)
        if found:
            return str(Path(found).absolute())
    return str(folder / word) if (folder / word).is_file() else None


def _what_to_install(word: str) -> str:
    if "/" in word:
        return f"there is no program {word}: does the build make it under that name?"
    name = next((key for key, others in _ALTERNATIVES.items() if word in others), word)
    package = _PACKAGES.get(name)
    hint = f"install it with: apt install {package}" if package else "install it, or put it on the PATH"
    return f"{word} is needed and was not found; {hint}"


def _is_typescript(words: Command) -> bool:
    return words[0] in ("node", "nodejs") and any(word.endswith((".ts", ".mts")) for word in words[1:])


@cache
def typescript_flags() -> Command | None:
    """The flags with which node runs TypeScript without a build step, found by trying; None if it cannot."""
    node = _located("node", Path())
    if node is None:
        return None
    with tempfile.TemporaryDirectory(prefix="arena-probe-") as folder:
        script = Path(folder) / "probe.ts"
        script.write_text("const answer: number = 42\nconsole.log(answer)\n", encoding="utf-8")
        for flags in ((), ("--experimental-strip-types",)):
            command = [node, *flags, str(script)]
            try:
                answer = subprocess.run(command, capture_output=True, timeout=_PROBE_SECONDS, check=False)
            except (OSError, subprocess.TimeoutExpired):
                return None
            if answer.returncode == 0 and answer.stdout.strip() == b"42":
                return flags
    return None
