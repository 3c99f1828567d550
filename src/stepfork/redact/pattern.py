"""Regular expressions that are compiled when a text first calls for them: a hook on clean files pays for none.

The module `re` itself is only loaded then: it takes a third of the time of the whole check.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any, AnyStr


def pattern(source: AnyStr) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, later; flags are written inside the pattern."""
    return _Lazy(source)  # type: ignore[return-value]


class _Lazy:
    def __init__(self, source: str | bytes) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        """Reached once for each method that is used: what it finds is kept on the instance."""
        import re

        made = getattr(re.compile(self._source), name)
        setattr(self, name, made)
        return made
