"""Arena: a referee, tournaments and rankings for bots in any language."""

__version__ = "0.1.0"
