"""The OpenAPI document's words: the shapes as models, what may be sent, examples.

What is answered is built by `adapters.shapes` and never passes through these; the tests hold the
one to the other.
"""

from .answers import Decided, Document, DocumentsList, Explanation, Problem, Ready, Timeline
from .inlined import inlined
from .sent import DecisionBody, PlanBody

__all__ = [
    "Decided",
    "DecisionBody",
    "Document",
    "DocumentsList",
    "Explanation",
    "PlanBody",
    "Problem",
    "Ready",
    "Timeline",
    "inlined",
]
