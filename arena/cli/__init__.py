"""The command line: every module in `arena/cli/commands` is one command, found by being there."""

import importlib
import pkgutil
import sys

import click

from arena import __version__
from arena.cli import commands


class _DiscoveredCommands(click.Group):
    """A group whose commands are modules; a module named `tournament` holds `command`.

    Command modules import heavy things (pandas, rich, jinja2) inside their functions, so that help and
    completion stay quick.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name}")
        command: click.Command = module.command
        return command


@click.command(cls=_DiscoveredCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="arena")
def cli() -> None:
    """A bot arena: write a bot in any language, let it play, read the ranking.

    \b
    Start here:
      arena games                          the games there are
      arena rules gridlock                 one game's rules and notation
      arena tournament --game gridlock     play and rank the bundled bots
    """


def main() -> None:
    """Entry point of the `arena` command."""
    cli(prog_name="arena")
    sys.exit(0)
