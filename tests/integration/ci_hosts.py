"""GitHub and GitLab as their command lines meet them: `gh` and `curl` on the PATH that keep comments in a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

FAKE_GH = r"""
import json, os, re, sys
from pathlib import Path

assert os.environ["GH_TOKEN"]
words = sys.argv[1:]
assert words.pop(0) == "api"
state = Path(os.environ["HOST_STATE"])
host = json.loads(state.read_text())
method, query, body, address = "GET", None, None, None
while words:
    word = words.pop(0)
    if word == "--method":
        method = words.pop(0)
    elif word == "--jq":
        query = words.pop(0)
    elif word == "-F":
        name, _, value = words.pop(0).partition("=")
        assert name == "body" and value.startswith("@")
        body = Path(value[1:]).read_text(encoding="utf-8")
    elif word not in ("--silent", "--paginate"):
        assert address is None and not word.startswith("-"), word
        address = word
host["asked"].append(f"{method} {address}")
if method == "GET":
    assert address.startswith("repos/shop/agent/issues/7/comments?")
    author = re.search(r'\.user\.login == "([^"]*)"', query)[1]
    start = re.search(r'\.body \| startswith\("([^"]*)"\)', query)[1]
    for comment in host["comments"]:
        if comment["author"] == author and comment["body"].startswith(start):
            print(comment["id"])
elif method == "POST":
    assert address == "repos/shop/agent/issues/7/comments"
    host["comments"].append({"id": 100 + len(host["comments"]), "author": "github-actions[bot]", "body": body})
else:
    assert method == "PATCH"
    (comment,) = [one for one in host["comments"] if address == f"repos/shop/agent/issues/comments/{one['id']}"]
    comment["body"] = body
state.write_text(json.dumps(host))
"""

FAKE_CURL = r"""
import json, os, sys
from pathlib import Path

words = sys.argv[1:]
state = Path(os.environ["HOST_STATE"])
host = json.loads(state.read_text())
method, body, token, address = "GET", None, None, None
while words:
    word = words.pop(0)
    if word == "--request":
        method = words.pop(0)
    elif word == "--header":
        token = words.pop(0)
    elif word == "--data-urlencode":
        name, _, path = words.pop(0).partition("@")
        assert name == "body"
        body = Path(path).read_text(encoding="utf-8")
    elif word == "--output":
        words.pop(0)
    elif not word.startswith("--"):
        address = word
assert token == f"PRIVATE-TOKEN: {os.environ['STEPFORK_TOKEN']}"
host["asked"].append(f"{method} {address}")
notes = "https://git.example/api/v4/projects/5/merge_requests/7/notes"
if address == "https://git.example/api/v4/user":
    print(json.dumps({"id": 9, "username": "bot"}))
elif method == "GET":
    base, _, page = address.partition("?per_page=100&page=")
    assert base == notes
    start = 100 * (int(page) - 1)
    listed = [
        {"id": one["id"], "author": {"id": one["author"]}, "body": one["body"]}
        for one in host["comments"][start : start + 100]
    ]
    print(json.dumps(listed))
elif method == "POST":
    assert address == notes
    host["comments"].append({"id": 100 + len(host["comments"]), "author": 9, "body": body})
else:
    assert method == "PUT"
    (comment,) = [one for one in host["comments"] if address == f"{notes}/{one['id']}"]
    comment["body"] = body
state.write_text(json.dumps(host))
"""


class Host:
    """A place that keeps comments; `program` is the command that speaks to it."""

    def __init__(self, folder: Path, program: str, source: str) -> None:
        self.folder = folder
        self.state = folder / "host.json"
        self.state.write_text(json.dumps({"comments": [], "asked": []}), encoding="utf-8")
        programs = folder / "programs"
        programs.mkdir()
        (programs / program).write_text(f"#!{sys.executable}\n{source}", encoding="utf-8")
        (programs / program).chmod(0o755)
        self.path = f"{programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def add(self, author: str | int, *bodies: str) -> None:
        """Comments of somebody's."""
        kept = json.loads(self.state.read_text(encoding="utf-8"))
        for body in bodies:
            kept["comments"].append({"id": 100 + len(kept["comments"]), "author": author, "body": body})
        self.state.write_text(json.dumps(kept), encoding="utf-8")

    def run(self, script: str, cwd: Path, *shell: str, code: int = 0, **variables: str) -> str:
        """Run a step's shell, as the host does, and return what it printed."""
        done = subprocess.run(
            [*(shell or ("bash", "-e")), "-c", script],
            cwd=cwd,
            env={**os.environ, "PATH": self.path, "HOST_STATE": str(self.state), **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def comments(self) -> list[tuple[Any, str]]:
        """(author, body) of each."""
        return [(one["author"], one["body"]) for one in json.loads(self.state.read_text(encoding="utf-8"))["comments"]]

    @property
    def writes(self) -> list[str]:
        """The requests that changed something."""
        asked = json.loads(self.state.read_text(encoding="utf-8"))["asked"]
        return [one for one in asked if not one.startswith("GET ")]
