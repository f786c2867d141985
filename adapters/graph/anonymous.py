"""Takes a reply of the API apart so that it can be shown to anybody: no secret, name or id is left.

Everything is replaced that is not known to be harmless: whole numbers and texts under any key but a
few, and there too unless they have the form of a code, a constant or a time. What matters for
reading stays: types, lengths, the class of each character, HTML entities, the form of our marks,
and which values are equal to which. The key of the replacement is thrown away with the object.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from reconciler.mark import ALPHABET

from .redaction import REDACTED, SECRET_PARAMETERS

CODES: Final = frozenset(
    {"code", "error_subcode", "total_count", "limit", "acc_id_util_pct", "app_id_util_pct",
     "call_count", "total_cputime", "total_time", "estimated_time_to_regain_access",
     "reset_time_duration"}
)  # fmt: skip
"""Keys whose numbers stay."""

CONSTANTS: Final = frozenset(
    {"status", "effective_status", "configured_status", "created_time", "updated_time",
     "event_time", "event_type", "object_type", "type", "objective", "bid_strategy",
     "billing_event", "optimization_goal", "buying_type", "ads_api_access_tier", "permission"}
)  # fmt: skip
"""Keys whose texts stay, if they have the form of one."""

KNOWN_MESSAGES: Final = frozenset(
    {"Please reduce the amount of data you're asking for, then retry your request",
     "An unknown error occurred", "Invalid parameter", "Service Unavailable"}
)  # fmt: skip
"""What clients match on (facts section 9), and says nothing of anybody."""

_CONSTANT: Final = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)*")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:?\d\d|Z)?")
_CODE: Final = re.compile(r"-?[0-9]{1,10}")
_FIELD: Final = re.compile(r"[a-z][a-z0-9_]{0,60}")
_PIECE: Final = re.compile(
    r"(?P<kept>&(?:amp|lt|gt|quot|#39|#x27);|\bact_(?=[0-9])|rc1-(?=[a-z2-7]))"
    r"|(?<=rc1-)(?P<part>[a-z2-7]+)(?:\.(?P<item>[a-z2-7]+))?"
    r"|(?P<digits>[0-9]+)"
)
_PLAIN_SEGMENT: Final = re.compile(r"[a-z_]{1,30}|v[0-9]{1,3}\.[0-9]{1,2}")
TRIES_MAX: Final = 1_000
"""For a replacement that stands for nothing else yet; of one letter there are 26."""

_SHOWN_IN_LINKS: Final = frozenset({"fields", "limit", "effective_status"})
HEADERS: Final = ("content-type", "date", "facebook-api-version")
"""Shown as they came."""

USAGE_HEADERS: Final = (
    "x-app-usage",
    "x-ad-account-usage",
    "x-business-use-case-usage",
    "x-fb-ads-insights-throttle",
)


class Anonymous:
    """One per recording: within it the same value is always replaced by the same one."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)
        self._replacements: dict[str, str] = {}
        self._originals: dict[str, str] = {}

    def value(self, given: Any, key: str = "") -> Any:
        """A JSON value, under this key of its object."""
        if isinstance(given, Mapping):
            return {self._name_of(each): self.value(inner, each) for each, inner in given.items()}
        if isinstance(given, list):
            return [self.value(each, key) for each in given]
        if isinstance(given, str):
            return self._text_under(key, given)
        if isinstance(given, bool) or given is None or key in CODES:
            return given
        return self._number(given)

    def headers(self, given: Mapping[str, str]) -> dict[str, str]:
        """Those that matter for reading a reply; all others are left out."""
        usage = {name: self._json_text(given[name]) for name in USAGE_HEADERS if name in given}
        return {name: given[name] for name in HEADERS if name in given} | usage

    def text(self, given: str) -> str:
        """Any text: its shape, and nothing of what it said. Zero stays: it means "none"."""
        return "".join(self._pieces(given))

    def message(self, given: str) -> str:
        """A body that is not JSON."""
        return given if given in KNOWN_MESSAGES else self.text(given)

    def link(self, given: str) -> str:
        """An address: another host, the same parameters, of which few keep their value."""
        try:
            parts, pairs = urlsplit(given), parse_qsl(urlsplit(given).query)
            query = [(name, self._parameter(name, value)) for name, value in pairs]
        except ValueError:
            return self.text(given)
        path = "/".join(self._segment(each) for each in parts.path.split("/"))
        return f"https://graph.example{path}?{urlencode(query)}"

    def _segment(self, given: str) -> str:
        """The version and the edge are everybody's."""
        return given if _PLAIN_SEGMENT.fullmatch(given) else self.text(given)

    def _parameter(self, name: str, value: str) -> str:
        if name in SECRET_PARAMETERS:
            return REDACTED
        return value if name in _SHOWN_IN_LINKS else self.text(value)

    def _text_under(self, key: str, given: str) -> str:
        if key in ("next", "previous"):
            return self.link(given)
        if key in CONSTANTS and (_CONSTANT.fullmatch(given) or _TIME.fullmatch(given)):
            return given
        if key == "blame_field_specs" and _FIELD.fullmatch(given):
            return given
        if given in KNOWN_MESSAGES or (key in CODES and _CODE.fullmatch(given)):
            return given
        return self._json_text(given) if given[:1] in ("{", "[") else self.text(given)

    def _json_text(self, given: str) -> str:
        """JSON inside a text, as `error_data` and the usage headers have it."""
        try:
            return json.dumps(self.value(json.loads(given)))
        except (ValueError, RecursionError):
            return self.text(given)

    def _name_of(self, key: str) -> str:
        """A key may be an id, as in the usage headers, or anything a person wrote."""
        return key if _FIELD.fullmatch(key) else self.text(key)

    def _number(self, given: int | float) -> int | float:
        if isinstance(given, float):
            return 0.5
        return int(self._digits(str(abs(given)))) * (1 if given >= 0 else -1)

    def _pieces(self, given: str) -> Iterator[str]:
        end = 0
        for found in _PIECE.finditer(given):
            yield self._words(given[end : found.start()])
            yield self._special(found)
            end = found.end()
        yield self._words(given[end:])

    def _special(self, found: re.Match[str]) -> str:
        if found["kept"]:
            return found["kept"]
        if found["digits"]:
            return self._digits(found["digits"])
        item = found["item"] and "." + self._replaced(found["item"], _of_a_mark)
        return self._replaced(found["part"], _of_a_mark) + (item or "")

    def _digits(self, given: str) -> str:
        return given if given == "0" else self._replaced(given, _alike)

    def _words(self, given: str) -> str:
        """Word by word, so that a name is recognised inside a longer one."""
        return re.sub(r"\S+", lambda word: self._replaced(word.group(), _alike), given)

    def _replaced(self, given: str, draw: Callable[[str, int], str]) -> str:
        """The same for the same; another for another, as long as there are enough of that shape."""
        known = self._replacements.get(given)
        for number in range(TRIES_MAX if known is None else 0):
            known = self._drawn(given, draw, number)
            if self._originals.setdefault(known, given) == given:
                break
        self._replacements[given] = known or given
        return known or given

    def _drawn(self, given: str, draw: Callable[[str, int], str], number: int) -> str:
        seed = hmac.new(self._key, f"{number}\0{given}".encode(errors="surrogatepass"), "sha256")
        stream = hashlib.shake_128(seed.digest()).digest(len(given))
        drawn = "".join(draw(each, byte) for each, byte in zip(given, stream, strict=True))
        return f"1{drawn[1:]}" if drawn[0] == "0" != given[0] else drawn


def _of_a_mark(_: str, drawn: int) -> str:
    return ALPHABET[drawn % len(ALPHABET)]


def _alike(character: str, drawn: int) -> str:
    """Another character of the same class; punctuation, marks and spaces stay."""
    if character.isascii():
        return _alike_ascii(character, drawn)
    if character.isalpha():
        letters = "àéîõüñçø" if character.islower() else "ÀÉÎÕÜÑÇØ"
        return letters[drawn % 8] if character.lower() != character.upper() else "字"
    return "☺" if unicodedata.category(character) == "So" else character


def _alike_ascii(character: str, drawn: int) -> str:
    if character.isdigit():
        return chr(ord("0") + drawn % 10)
    if character.isalpha():
        return chr(ord("a" if character.islower() else "A") + drawn % 26)
    return character
