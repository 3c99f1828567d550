"""A browser for all tests of this folder, and a tab for each. Without a browser there is an error and no skip: what
was not looked at has not passed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.devtools import BROWSERS, Browser, Tab, find_browser


def pytest_configure() -> None:
    if find_browser() is None:
        raise pytest.UsageError(f"tests/browser: none of {', '.join(BROWSERS)} is on the PATH; install one of them")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_browser()
    assert program is not None
    running = Browser(program, tmp_path_factory.mktemp("browser"))
    yield running
    running.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    made = Tab(browser)
    yield made
    made.close()


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    """Where a page goes."""
    return tmp_path / "diff.html"
