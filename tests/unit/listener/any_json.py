"""JSON that is nearly a message of an instrumented call."""

from __future__ import annotations

from hypothesis import strategies as st

_SCALAR = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=6)
_VALUE = st.recursive(_SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner))
_ASKED = st.fixed_dictionaries(
    {"type": st.sampled_from(["tool_call", "llm_call"]) | _VALUE, "name": st.text(max_size=5) | _VALUE},
    optional={"arguments": _VALUE, "model": _VALUE, "api": _VALUE},
)
ANY_JSON = st.fixed_dictionaries(
    {"says": st.sampled_from(["joined", "begun", "ended"]) | _SCALAR},
    optional={
        "asked": _ASKED | _VALUE,
        "parent": st.integers(-2, 2) | _VALUE,
        "forks": st.lists(st.tuples(st.integers(-2, 3), st.integers(-2, 3)), max_size=3) | _VALUE,
        "number": st.integers(-2, 3) | _VALUE,
        "outcome": st.fixed_dictionaries({}, optional={"result": _VALUE, "error": _VALUE, "raised": _VALUE}) | _VALUE,
    },
)
