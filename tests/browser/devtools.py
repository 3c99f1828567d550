"""A headless Chromium, driven over its DevTools protocol; what it reports is kept.

As a program it prints the path of the browser that is used, and exits 1 where there is none.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

import aiohttp

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TIMEOUT = 60
"""Seconds after which a browser that says nothing is given up."""
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--no-first-run", "--remote-debugging-port=0",
)  # fmt: skip
_KEYS = {"Enter": ("Enter", 13, "\r"), " ": ("Space", 32, " "), "Tab": ("Tab", 9, ""), "Escape": ("Escape", 27, "")}
T = TypeVar("T")


def find_browser() -> str | None:
    """The first of BROWSERS that is on the path."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


class Browser:
    """A running browser with an empty profile in `folder`."""

    def __init__(self, program: str, folder: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={folder}", "about:blank"],
            env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        told = (line.partition("DevTools listening on ")[2].strip() for line in self._process.stderr)
        self._address = next(filter(None, told))
        self._session: aiohttp.ClientSession
        self._socket: aiohttp.ClientWebSocketResponse
        self.run(self._connect())
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def run(self, work: Awaitable[T]) -> T:
        """Wait for it."""
        return self._loop.run_until_complete(asyncio.wait_for(work, TIMEOUT))

    async def _connect(self) -> None:
        self._session = aiohttp.ClientSession()
        self._socket = await self._session.ws_connect(self._address, max_msg_size=0)

    def close(self) -> None:
        """End it."""
        self.run(self._session.close())
        self._process.terminate()
        self._process.communicate(timeout=TIMEOUT)
        self._loop.close()

    def call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """What a method gives back. Raises AssertionError where it fails."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        return self.run(self._call(message | ({"sessionId": session} if session else {})))

    async def _call(self, message: dict[str, Any]) -> dict[str, Any]:
        await self._socket.send_str(json.dumps(message))
        while True:
            said = await self._receive()
            if said.get("id") == message["id"]:
                assert "error" not in said, (message["method"], said["error"])
                result: dict[str, Any] = said["result"]
                return result

    async def _receive(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads((await self._socket.receive()).data)
        if "method" in said:
            self.events.append(said)
        return said

    def wait(self, method: str, session: str) -> None:
        """Until such an event comes, or came since the last `open`."""

        async def come() -> None:
            while not any(event["method"] == method and event.get("sessionId") == session for event in self.events):
                await self._receive()

        self.run(come())


class Tab:
    """A page in a tab of its own."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.call("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """A method of the protocol, in this tab."""
        return self._browser.call(method, self._session, **params)

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file and wait until it is loaded."""
        self._browser.events.clear()
        self.call("Page.navigate", url=path.as_uri() + fragment)
        self._browser.wait("Page.loadEventFired", self._session)

    def close(self) -> None:
        """Close the tab."""
        self._browser.call("Target.closeTarget", targetId=self._target)

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript in the page, once it is settled."""
        made = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in made, made
        return made["result"].get("value")

    def press(self, key: str) -> None:
        """One key down and up."""
        code, number, text = _KEYS.get(key, ("", ord(key.upper()) if len(key) == 1 else 0, key))
        told = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **told)
        self.call("Input.dispatchKeyEvent", type="keyUp", **told)

    def media(self, **features: str) -> None:
        """Emulate media features, such as ``prefers_color_scheme="dark"``."""
        told = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=told)

    def width(self, pixels: int) -> None:
        """Make the window so wide."""
        self.call("Emulation.setDeviceMetricsOverride", width=pixels, height=900, deviceScaleFactor=1, mobile=False)

    def events(self, *methods: str) -> list[dict[str, Any]]:
        """What the browser reported of these since the file was opened."""
        return [event["params"] for event in self._browser.events if event["method"] in methods]


if __name__ == "__main__":
    found = find_browser()
    print(
        found or f"none of {', '.join(BROWSERS)} is on the PATH: tests/browser did not run",
        file=sys.stdout if found else sys.stderr,
    )
    sys.exit(found is None)
