"""
Which requests a queued failure or a chosen reply is meant for. It looks at the request only, never at what was
answered before.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from ella.offline.errors import refuse
from ella.offline.fields import must_be, must_have_only

CREATE_PATH = "/v1/messages"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request as the matchers see it; an item of a batch is one too, as if it had been posted alone."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    custom_id: str | None = None

    @property
    def model(self) -> Any:
        return self.body.get("model") if isinstance(self.body, dict) else None

    @property
    def streams(self) -> bool:
        return isinstance(self.body, dict) and bool(self.body.get("stream"))


@dataclass(frozen=True, slots=True)
class Match:
    """
    Conditions that must all hold. `contains`: text that must occur in some string of the body; `headers`: exact
    values by name; `path`: a path or a pattern with `*`, by default the path that creates messages.
    """

    model: str | None = None
    contains: str | None = None
    stream: bool | None = None
    path: str = CREATE_PATH
    method: str | None = None
    custom_id: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def accepts(self, incoming: Incoming) -> bool:
        return (
            fnmatchcase(incoming.path, self.path)
            and (self.method is None or self.method.upper() == incoming.method)
            and (self.model is None or self.model == incoming.model)
            and (self.stream is None or self.stream == incoming.streams)
            and (self.custom_id is None or self.custom_id == incoming.custom_id)
            and all(incoming.headers.get(name.lower()) == value for name, value in self.headers.items())
            and (self.contains is None or any(self.contains in text for text in strings_in(incoming.body)))
        )


def read_match(value: Any) -> Match:
    """Build a Match from what the control endpoint was sent; refuse a condition that does not exist."""
    if value is None:
        return Match()
    must_have_only(
        "match", value, required=(), optional=("model", "contains", "stream", "path", "method", "custom_id", "headers")
    )
    for name in ("model", "contains", "path", "method", "custom_id"):
        if name in value:
            must_be(f"match.{name}", value[name], str)
    if "stream" in value:
        must_be("match.stream", value["stream"], bool)
    headers = value.get("headers", {})
    must_be("match.headers", headers, dict)
    if not all(isinstance(text, str) for text in headers.values()):
        refuse("match.headers: every value should be a string")
    return Match(**value)


def strings_in(value: Any) -> Iterator[str]:
    """Every string of a JSON value, keys left out, as it was before JSON escaped it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from strings_in(child)
    elif isinstance(value, list):
        for child in value:
            yield from strings_in(child)
