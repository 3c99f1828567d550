"""What the listener serves beside the traces: routes, each a prefix of its own, to which one variable leads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

Dialect = Literal["openai", "anthropic", "opaque"]
"""What a route's bodies are: OpenAI's APIs, Anthropic's, or data of which nothing is known."""

TRACES: Final = "/v1/traces"


class Route(msgspec.Struct, frozen=True):
    """``name`` is the provider of its exchanges; ``prefix`` is what follows the token in its paths (``/routes/azure``).

    The watched program finds the address of that prefix in the environment variable ``variable``.
    """

    name: str
    variable: str
    prefix: str
    dialect: Dialect

    @classmethod
    def custom(cls, name: str, variable: str, dialect: Dialect) -> Route:
        """A route that a project added; its prefix is ``/routes/NAME``."""
        return cls(name, variable, f"/routes/{name}", dialect)


BUILT_IN: Final = (
    Route("openai", "OPENAI_BASE_URL", "/openai/v1", "openai"),
    Route("anthropic", "ANTHROPIC_BASE_URL", "/anthropic", "anthropic"),
)
"""The routes that every listener serves; OpenAI's clients expect ``/v1`` in their base URL."""


def with_built_in(routes: Iterable[Route]) -> tuple[Route, ...]:
    """The built-in routes, then `routes`."""
    return (*BUILT_IN, *routes)
