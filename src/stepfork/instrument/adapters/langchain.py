"""wrap_langchain: tools and chat models of LangChain, which are LangGraph's too."""

from __future__ import annotations

from typing import Any, TypeVar

from stepfork.errors import UsageError
from stepfork.instrument.adapters.langchain_model import model_methods
from stepfork.instrument.adapters.langchain_tool import tool_methods
from stepfork.instrument.adapters.reclassing import is_wrapped, loaded, reclass
from stepfork.instrument.declared import declare

_T = TypeVar("_T")


def wrap_langchain(value: _T) -> _T:
    """Instrument a tool, a chat model, or each of a list or tuple of them, and give the same object back.

    Graphs, tool nodes and chains that hold the object already make instrumented calls from now on. Outside recordings
    and replays it does what it did. Wrapping twice is wrapping once.

    Raises UsageError for anything else, such as a whole graph, and for a version of langchain-core that is built
    otherwise.
    """
    if isinstance(value, list | tuple):
        for each in value:
            _wrap(each)
    else:
        _wrap(value)
    return value


def _wrap(value: Any) -> None:
    tools, models = loaded("langchain_core.tools"), loaded("langchain_core.language_models")
    tool: Any = getattr(tools, "BaseTool", None)
    model: Any = getattr(models, "BaseChatModel", None)
    if is_wrapped(value):
        return
    if tool is not None and isinstance(value, tool):
        _check(tool, "_run", "_arun")
        reclass(value, "wrap_langchain", lambda kind: tool_methods(kind, tool))
        declare(str(value.name))
    elif model is not None and isinstance(value, model):
        _check(model, "_generate", "_agenerate", "_stream", "_astream")
        reclass(value, "wrap_langchain", lambda kind: model_methods(kind, model))
    else:
        fix = "wrap the tools and the model that it is made of" if hasattr(value, "invoke") else None
        raise UsageError(f"wrap_langchain takes tools and chat models, not a {type(value).__name__}", fix=fix)


def _check(kind: Any, *names: str) -> None:
    if not all(callable(getattr(kind, name, None)) for name in names):
        raise UsageError("wrap_langchain does not know this version of langchain-core")
