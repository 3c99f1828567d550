"""The table of all shapes."""

from __future__ import annotations

from stepfork.redact.shape import Shape
from stepfork.redact.shapes_agents import AGENT_ROWS
from stepfork.redact.shapes_clouds import CLOUD_ROWS
from stepfork.redact.shapes_code import CODE_ROWS
from stepfork.redact.shapes_forms import FORM_SHAPES
from stepfork.redact.shapes_messages import MESSAGE_ROWS
from stepfork.redact.shapes_models import MODEL_ROWS
from stepfork.redact.shapes_money import MONEY_ROWS
from stepfork.redact.shapes_services import SERVICE_ROWS
from stepfork.redact.shapes_syntax import SYNTAX_SHAPES
from stepfork.redact.shapes_work import WORK_ROWS

GROUPS: tuple[tuple[str, tuple[Shape, ...]], ...] = tuple(
    (title, tuple(Shape(*row) for row in rows))
    for title, rows in (
        ("Models", MODEL_ROWS),
        ("What agents are built from", AGENT_ROWS),
        ("Code, packages, builds", CODE_ROWS),
        ("Clouds, hosting, networks, databases", CLOUD_ROWS),
        ("Secret stores, identity, observability, flags", SERVICE_ROWS),
        ("Payments, banks, shops, chains", MONEY_ROWS),
        ("Chats, mail, telephony, webhooks", MESSAGE_ROWS),
        ("Work, customers, content, devices", WORK_ROWS),
    )
)
"""The kinds of services, by what they serve."""

SHAPES: tuple[Shape, ...] = (*(shape for _, shapes in GROUPS for shape in shapes), *FORM_SHAPES, *SYNTAX_SHAPES)
"""Every shape, in the order of the documentation; the order has no influence on what is found."""
