"""The words of `stepfork check-redaction`, parsed by hand: a hook pays for every import each time."""

from __future__ import annotations

import os

from stepfork.errors import UsageError

NAME = "stepfork check-redaction"

HELP = """\
Usage: stepfork check-redaction [OPTIONS] [PATH]...

  Look for secrets in fixtures, bundles, and any JSON, JSON lines, YAML or text.

  PATH is a file or a folder; without one, the project's store is checked. What
  counts as a secret: the values of the environment and of .env whose names say
  so, the shapes of known credentials, values that a name gives away, and what
  the project's config.toml adds. A finding names the file, the place and the
  rule, never the value.

  Run by git as a hook, it reads the bytes being committed.

Options:
  --staged             Check what the next commit adds or changes, as staged.
  --fix                Redact in place what is found, and check again. Fixtures
                       are written anew; with --staged (and in a hook) what is
                       staged is redacted and staged again.
  --accepted-from REF  Findings are accepted as config.toml at REF says, such as
                       the branch that a pull request goes to.
  --hash               Print findings as the entries of config.toml that would
                       accept them. A weak value can be guessed from its hash.
  --format FORM        text, or github: annotations of a job beside the text.
  --json               Print one JSON document (check-redaction.schema.json).
  -h, --help           Show this message and exit.

Exit codes: 0 no secret, 1 a secret was found, 2 something could not be scanned
(and no secret was found in the rest).
"""

_FLAGS = ("-h", "--help", "--staged", "--fix", "--json", "--hash")


class Options:
    """What was asked for. `paths` are files and folders; `form` is text or github; `accepted_from` is a revision,
    empty for none. Raises UsageError."""

    def __init__(self, words: list[str]) -> None:
        self.paths: list[str] = []
        self.staged = self.fix = self.json = self.hash = self.help = False
        self.form = "text"
        self.accepted_from = ""
        waiting = list(reversed(words))
        while waiting:
            word = waiting.pop()
            if word == "--":
                self._name(*reversed(waiting))
                break
            if not word.startswith("-") or word == "-":
                self._name(word)
            else:
                self._take(word, waiting)
        if self.form not in ("text", "github"):
            raise UsageError("--format is text or github")
        if self.json and self.form == "github":
            raise UsageError("--json and --format github both want stdout", fix="run it once for each")
        if self.fix and (self.hash or self.form == "github"):
            raise UsageError("--fix redacts what --hash and --format github would report", fix="leave one out")

    def _name(self, *paths: str) -> None:
        if not all(paths):
            raise UsageError("a path is empty", fix="name a file or a folder")
        self.paths += paths

    def _take(self, word: str, waiting: list[str]) -> None:
        """One option; its value stands after ``=`` or is the next of the words that `waiting` ends with."""
        if os.path.lexists(word):  # a hook that passes names on must not be talked to by them
            raise UsageError("is a file here, and reads as an option", where=word, fix="write -- before names of files")
        name, sign, value = word.partition("=")
        if word in _FLAGS:
            setattr(self, "help" if word == "-h" else word[2:], True)
        elif name in ("--format", "--accepted-from"):
            value = value if sign else waiting.pop() if waiting else ""
            if not value or (value.startswith("-") and not sign):
                raise UsageError(f"{name} takes a value", fix=f"{NAME} --help tells which")
            setattr(self, "form" if name == "--format" else "accepted_from", value)
        elif name in _FLAGS:
            raise UsageError(f"{name} takes no value", fix=f"write {name} alone")
        else:
            raise UsageError(f"no such option {name[:40]}", fix=f"{NAME} --help lists them")
