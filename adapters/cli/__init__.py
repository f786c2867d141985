"""The commands: read the arguments, call one thing, print."""
