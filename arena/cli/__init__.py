"""The command line: every module in `arena/cli/commands` is one command, found by being there."""

import errno
import importlib
import os
import pkgutil
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import click

from arena import __version__
from arena.cli import commands
from arena.cli.common import UserError, did_you_mean, shortened, show_error

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it: 128 + SIGINT."""

_MACHINE_SAYS_NO = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES})
"""A full or forbidden disk is neither a bug nor worth a traceback."""


def _leave_no_output_behind() -> None:
    """Flush what is buffered, or drop it where it has nowhere to go: Python would complain at its exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class ArenaGroup(click.Group):
    """A group that answers an unknown command with the nearest known one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; click's own hint knows nothing of commands that are discovered."""
        name = args[0]
        if not ctx.resilient_parsing and name[:1].isalnum() and self.get_command(ctx, name) is None:
            hint = did_you_mean(name, self.list_commands(ctx))
            raise UserError(f"there is no command '{ctx.command_path} {shortened(name)}'", hint)
        return super().resolve_command(ctx, args)


def _first_line(name: str) -> str:
    """What the docstring of a command's module says it does, after the command itself and a colon."""
    path = f"{commands.__path__[0]}/{name.replace('-', '_')}.py"
    with open(path, encoding="utf-8") as source:  # noqa: PTH123 - pathlib takes longer to import than this
        return source.readline().partition("`: ")[2].strip().rstrip('"')


class _DiscoveredCommands(ArenaGroup):
    """A group whose commands are modules; a module named `tournament` holds `command`.

    Command modules import heavy things (pandas, rich, jinja2) inside their functions, so that help and
    completion stay quick.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the modules; `self_test.py` is the command `self-test`."""
        del ctx
        return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import that one module."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by the first lines of their files: importing all of them takes far longer."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_line(name)) for name in self.list_commands(ctx)])

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run and exit: mistakes in one style, Ctrl-C with 130, a closed pipe without a word."""
        extra["standalone_mode"] = False
        try:
            result = super().main(*args, **extra)
            sys.stdout.flush()
        except click.ClickException as error:
            show_error(error)
            sys.exit(error.exit_code)
        except click.Abort as abort:
            sys.exit(INTERRUPTED if isinstance(abort.__cause__, KeyboardInterrupt) else 1)
        except BrokenPipeError:
            _leave_no_output_behind()  # the reader has gone, as in `arena games | head -1`
            sys.exit(1)
        except OSError as error:
            if error.errno not in _MACHINE_SAYS_NO:
                raise
            where = f": {error.filename}" if error.filename else ""
            show_error(UserError(f"the machine refuses: {(error.strerror or '').lower()}{where}"))
            _leave_no_output_behind()
            sys.exit(UserError.exit_code)
        # A number is what ctx.exit() was called with; commands themselves return nothing.
        sys.exit(result if isinstance(result, int) else 0)


@click.command(
    "arena",
    cls=_DiscoveredCommands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="arena")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A bot arena: write a bot in any language, let it play, read the ranking.

    \b
    Start here:
      arena games                          the games there are
      arena rules gridlock                 one game's rules and notation
      arena play gridlock                  you against the strongest bundled bot
      arena new python my-bot              a bot to begin with; then arena check, arena submit
      arena tournament --game gridlock     play and rank all bots; arena report --open shows the page
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def every_command(command: click.Command = cli, path: str = "arena") -> Iterator[tuple[str, click.Command]]:
    """All commands with their full names, groups and what is in them included; `arena` itself is first."""
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            found = command.get_command(ctx, name)
            if found is not None:
                yield from every_command(found, f"{path} {name}")


def main() -> NoReturn:
    """Entry point of the `arena` command."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets an escape instead of a traceback.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a pipe or file has it
    cli.main(prog_name="arena")
