"""A page as a tree: whether its markup is well formed, and what stands where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

VOID: Final = frozenset({"br", "hr", "img", "input", "link", "meta", "rect"})


@dataclass(slots=True)
class Element:
    """An element, with its texts and children in order."""

    tag: str
    attributes: dict[str, str]
    parts: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Everything that is written in it, white space folded."""
        return " ".join("".join(self._texts()).split())

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Every such element below; `_` in a name stands for `-`, of a class one word is enough."""
        return [one for one in self.below() if one.tag == tag and one.bears(attributes)]

    def one(self, tag: str, **attributes: str) -> Element:
        """The only such element."""
        [found] = self.all(tag, **attributes)
        return found

    def below(self) -> Iterator[Element]:
        """All elements in it, in the order in which they are read."""
        for part in self.parts:
            if isinstance(part, Element):
                yield part
                yield from part.below()

    def bears(self, wanted: dict[str, str]) -> bool:
        """Whether it has these attributes."""
        for name, value in wanted.items():
            found = self.attributes.get(name.strip("_").replace("_", "-"))
            if found is None or value not in ([found] if name != "class_" else found.split()):
                return False
        return True

    def _texts(self) -> Iterator[str]:
        for part in self.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from part._texts()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("document", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"{tag} has an attribute twice: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].parts.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].parts.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> where <{self.open[-1].tag}> is open"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def page_of(text: str) -> Element:
    """The whole page. Fails where an element is not closed where it was opened."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert [one.tag for one in reader.open] == ["document"], "an element was never closed"
    return reader.open[0]


def fields_of(form: Element) -> dict[str, str]:
    """What a browser sends of a form before anybody touched it: hidden fields, chosen buttons."""
    found = {}
    for one in form.all("input"):
        is_chosen = one.attributes.get("type") in ("radio", "checkbox")
        if "name" in one.attributes and (not is_chosen or "checked" in one.attributes):
            found[one.attributes["name"]] = one.attributes.get("value", "")
    return found
