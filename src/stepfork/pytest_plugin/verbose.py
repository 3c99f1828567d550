"""Exported tests tell all that differs under ``pytest -v``, and the first difference without it."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

import pytest

from stepfork.export.verbosity import telling

T = TypeVar("T")


class Verbose:
    """Around the call of each test."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, T, T]:
        """The test itself."""
        with telling(item.config.get_verbosity() > 0):
            return (yield)
