"""What the recorder can have the API reply with; apart, for the command line names it at once."""

from enum import StrEnum


class What(StrEnum):
    """A page, an entity, an error envelope, a create that validation refuses."""

    LISTING = "listing"
    NODE = "node"
    ERROR = "error"
    REFUSED = "refused"
