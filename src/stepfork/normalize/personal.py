"""Personal data that a project asks for, as placeholders: one number for one value, however it is written.

The first layout of a value in a run is its own, and its placeholder is bare there: ``{{phone_1}}``. Where it is written
otherwise the placeholder says how: ``{{phone_1:+44##########}}``, ``{{name_1:FAMILY, GIVEN}}``, ``url …`` where it is
percent-encoded, and ``number`` where it is a number in JSON. What finds the values is in `stepfork.redact.personal`,
which check-redaction uses too.
"""

from __future__ import annotations

from urllib.parse import quote

from stepfork.normalize.known import Context
from stepfork.redact.personal import Found, Personal
from stepfork.redact.persons import spell_name
from stepfork.redact.phone_forms import NUMBER, spell_phone

_URL = "url "
"""What the layout of a percent-encoded value begins with."""
_MARKS = str.maketrans(dict.fromkeys(" -./()"))


def personal_of(context: Context | None) -> Personal:
    """What a run's context asks for."""
    return Personal(context.personal, context.names) if context else Personal((), ())


def layout_of(found: Found) -> str:
    """The layout of what was found, by which a placeholder says how it is written."""
    return _URL + found.layout if found.encoded else found.layout


def is_own(layout: str) -> bool:
    """Whether a value that is first in a layout stands in it for its own: not where the place asks for one."""
    return layout != NUMBER and not layout.startswith(_URL)


def written(kind: str, value: str, wanted: str | None, own: str | None) -> str:
    """`value` in the layout that is `wanted`, where it fits; else in its `own`, else in the usual one.

    Where all marks are left out in what is wanted, they are left out there too.
    """
    if wanted is not None and wanted.startswith(_URL):
        return quote(written(kind, value, wanted.removeprefix(_URL), own), safe="")
    for layout in (wanted, own):
        made = None if layout is None else _in_layout(kind, value, layout, own)
        if made is not None:
            is_compact = layout is own and wanted is not None and kind != "name" and wanted == wanted.translate(_MARKS)
            return made.translate(_MARKS) if is_compact else made
    return value.replace(" ", "") if kind == "phone" else value


def _in_layout(kind: str, value: str, layout: str, own: str | None) -> str | None:
    if layout == NUMBER:
        return "".join(char for char in value if char.isdigit())
    if kind == "name":
        return spell_name(value, layout)
    if kind == "phone":
        return spell_phone(value, layout, own)
    given = iter(value)
    fits = layout.count("#") == len(value)
    return "".join(next(given) if char == "#" else char for char in layout) if fits else None
