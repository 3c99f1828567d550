"""How a verb's help says that it is typed."""

from __future__ import annotations

from typing import Any, ClassVar

from typer.core import TyperCommand


class Verb(TyperCommand):
    """A command whose help shows each way to type it, in the words of the manual."""

    usages: ClassVar[tuple[str, ...]] = ()

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write a line for each way; without any, what typer makes of the parameters."""
        if not self.usages:
            super().format_usage(ctx, formatter)
        for number, usage in enumerate(self.usages):
            formatter.write_usage(ctx.command_path, usage, prefix="       " if number else None)


def typed_as(*usages: str) -> type[Verb]:
    """The class of a command that is typed in these ways, each of which follows the command's name."""
    return type("Typed", (Verb,), {"usages": usages})
