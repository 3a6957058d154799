"""`arena completion`: the script that lets a shell complete commands, games and options."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Example:
      eval "$(arena completion bash)"                 for this session
      arena completion fish > ~/.config/fish/completions/arena.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None  # click knows all three
    click.echo(kind(ctx.find_root().command, {}, "arena", "_ARENA_COMPLETE").source())
