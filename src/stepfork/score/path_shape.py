"""The few forms in which a generated test says where its recording is, evaluated from the syntax tree.

    Path(__file__).resolve().parent / "inc-1042.sftrace"
    Path(__file__).resolve().parents[2] / "fixtures/inc-1042.sftrace"
    ROOT / "inc-1042.sftrace"
    ROOT.joinpath("fixtures/inc-1042.sftrace")

Any other expression is refused, with a way out: guessing at it could score another run than the test replays.
"""

from __future__ import annotations

import ast
from pathlib import Path

from stepfork.errors import UsageError


def path_of(node: ast.expr, name: str, file: Path, root: Path | None, *, where: str) -> Path:
    """The path that the expression assigned to `name` in the test `file` is; `root` is what ``ROOT`` stands for.

    Raises UsageError for any other form.
    """
    parts: list[str] = []
    while (step := _step(node)) is not None:
        parts.append(step[1])
        node = step[0]
    start = _start(node, file, root)
    if start is None or any("\0" in part for part in parts):
        raise _refused(name, where, node)
    return start.joinpath(*reversed(parts))


def _step(node: ast.expr) -> tuple[ast.expr, str] | None:
    """What a part is added to, and the part; None where this is no such expression."""
    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=str(part))):
            return left, part
        case ast.Call(
            func=ast.Attribute(value=left, attr="joinpath"), args=[ast.Constant(value=str(part))], keywords=[]
        ):
            return left, part
    return None


def _start(node: ast.expr, file: Path, root: Path | None) -> Path | None:
    match node:
        case ast.Name(id="ROOT"):
            return root
        case ast.Attribute(value=inner, attr="parent") if _is_own_file(inner):
            return file.resolve().parent
        case ast.Subscript(
            value=ast.Attribute(value=inner, attr="parents"), slice=ast.Constant(value=int() as number)
        ) if _is_own_file(inner):
            above = file.resolve().parents
            return above[number] if type(number) is int and 0 <= number < len(above) else None
    return None


def _is_own_file(node: ast.expr) -> bool:
    """Whether it is ``Path(__file__).resolve()``."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(
                    func=ast.Name(id="Path") | ast.Attribute(value=ast.Name(id="pathlib"), attr="Path"),
                    args=[ast.Name(id="__file__")],
                    keywords=[],
                ),
                attr="resolve",
            ),
            args=[],
            keywords=[],
        ):
            return True
    return False


def _refused(name: str, where: str, node: ast.expr) -> UsageError:
    return UsageError(
        f"{name} is no path of the form that stepfork export writes",
        where=f"{where}:{node.lineno}",
        fix="name the recording with --bundle PATH",
    )
