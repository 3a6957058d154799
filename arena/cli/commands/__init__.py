"""One module a command; its name is the command's name and `command` is the click command."""
