"""Regular expressions that are compiled when a text first calls for them: a hook on clean files pays for none."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, later."""
    return _Lazy(source, flags)  # type: ignore[return-value]


class _Lazy:
    def __init__(self, source: str, flags: int) -> None:
        self._arguments = (source, flags)

    def __getattr__(self, name: str) -> Any:
        """Reached once for each method that is used: what it finds is kept on the instance."""
        made = getattr(re.compile(*self._arguments), name)
        setattr(self, name, made)
        return made
