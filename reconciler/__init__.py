"""The core: decides what was made, what was not, and what may be done next."""
