"""One fast model a game; `model(settings)` gives it, or None for settings that it does not know."""
