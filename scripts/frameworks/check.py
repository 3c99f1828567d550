"""For each framework: captured and verified, captured to the same bytes, replayed, missed once, the incident caught.

    scripts/frameworks/run [--stream] [--environments FOLDER] [--keep FOLDER] [FRAMEWORK ...]

Prints a row for each framework; below it, for each column that is not ok, why. Exits 1 where one is not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from environments import Framework, default_folder, frameworks
from scripted_model import served

COLUMNS = ("captured", "same bytes", "replayed", "missed", "incident")
EXPECTED = ["cardinality-issue_refund-per-order_id"]
PYTEST = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"]
KEEP_FROM_PARENT = ("LANG", "LC_ALL", "TERM", "TMPDIR", "SSL_CERT_FILE")


class NotOkError(Exception):
    """Why a column is not ok."""


class Shop:
    """A scratch git repository with one framework's agent in it, and a home of its own."""

    def __init__(self, root: Path, framework: Framework, words: list[str]) -> None:
        self.root = root / "shop"
        self.home = root / "home"
        self.framework = framework
        self.command = [*framework.command, *words]
        self.words = words
        self.root.mkdir(parents=True)
        self.home.mkdir()
        framework.link_to(self.root)
        for name, value in (("user.name", "frameworks"), ("user.email", "frameworks@example.com")):
            self.git("config", "--global", name, value)

    def environment(self, model: str | None) -> dict[str, str]:
        """What a user's shell would hold; without a model, addresses at which nothing listens."""
        base = model or "http://127.0.0.1:9"
        return {
            **{name: os.environ[name] for name in KEEP_FROM_PARENT if name in os.environ},
            # Our own programs too: where they are not on it, a drafted test puts them first.
            "PATH": os.pathsep.join(map(str, (self.framework.bin, Path(sys.executable).parent, os.environ["PATH"]))),
            "HOME": str(self.home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "OPENAI_BASE_URL": f"{base}/v1",
            "ANTHROPIC_BASE_URL": base,
            "OPENAI_API_KEY": "unused",
            "ANTHROPIC_API_KEY": "unused",
            **self.framework.settings,
        }

    def run(self, words: list[str], model: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command here; all that it prints goes to a log beside the repository."""
        done = subprocess.run(
            words,
            cwd=self.root,
            env=self.environment(model),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        with (self.root.parent / "log.txt").open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(words)}\n{done.stdout}{done.stderr}exit {done.returncode}\n\n")
        return done

    def must(self, words: list[str], model: str | None = None) -> str:
        """The standard output of a command that has to exit 0."""
        done = self.run(words, model)
        if done.returncode != 0:
            raise NotOkError(f"{' '.join(words)} exited {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-3000:]}")
        return done.stdout

    def git(self, *words: str) -> str:
        """What git prints."""
        return self.must(["git", *words])

    def stepfork(self, *words: str, model: str | None = None) -> dict[str, Any]:
        """The JSON document of a stepfork command that runs the agent and has to exit 0."""
        said = self.must([sys.executable, "-m", "stepfork", *words, "--json", "--", *self.command], model)
        document: dict[str, Any] = json.loads(said)
        return document

    def edit(self, old: str, new: str) -> None:
        """Edit the agent, its tools and its prompt."""
        files = [file for file in self.root.iterdir() if file.suffix in (".md", ".py", ".ts")]
        texts = {file: text for file in files if old in (text := file.read_text(encoding="utf-8"))}
        assert texts, old
        for file, text in texts.items():
            file.write_text(text.replace(old, new), encoding="utf-8")


def captured(shop: Shop, model: str) -> None:
    """A run of the agent becomes a fixture whose drafted contracts hold."""
    done = shop.stepfork("capture", "--name", "refund", model=model)
    if done["outcome"] != "verified":
        raise NotOkError(f"outcome {done['outcome']}: {done['causes']}")
    if done["origin"] != "spans" or done["findings"]:
        raise NotOkError(f"origin {done['origin']}, findings {done['findings']}")
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message", "fixture")


def same_bytes(shop: Shop, model: str) -> None:
    """Other ids, another clock, another session: nothing for git to see."""
    shop.stepfork("capture", "--name", "refund", model=model)
    if changed := shop.git("status", "--porcelain"):
        raise NotOkError(f"git status:\n{changed}{shop.git('diff', '--no-ext-diff')[:3000]}")


def replayed(shop: Shop, _: str) -> None:
    """On another machine the agent runs against the recording alone: in a clone, with another home, and no model."""
    clone = cloned(shop, "elsewhere")
    done = clone.stepfork("replay", "refund", *executing(clone))
    if not done["passed"] or done["misses"] or done["refused_probes"]:
        raise NotOkError(json.dumps(done, indent=1)[:3000])
    clone.must([*PYTEST, "tests/stepfork/test_refund.py"])


def missed(shop: Shop, _: str) -> None:
    """Another description of a tool is one miss, after which the framework neither asks again nor hangs."""
    clone = cloned(shop, "changed")
    clone.edit("Look an order up.", "Look one order up.")
    words = ["replay", "refund", *executing(clone), "--json", "--", *clone.command]
    done = clone.run([sys.executable, "-m", "stepfork", *words])
    if done.returncode != 1:
        raise NotOkError(f"the replay exited {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-3000:]}")
    misses = json.loads(done.stdout)["misses"]
    if [(miss["component"], miss["times"]) for miss in misses] != [("tools", 1)]:
        raise NotOkError(json.dumps(misses, indent=1)[:3000])


def incident(shop: Shop, model: str) -> None:
    """An agent that refunds twice fails that contract and no other, and so does the test that was drafted of it."""
    shop.edit("You refund once.", "You refund twice.")
    done = shop.stepfork("capture", "--name", "incident", "--expect-fail", model=model)
    if done["expected_failures"] != EXPECTED:
        raise NotOkError(json.dumps(done["contracts"], indent=1)[:3000])
    tested = shop.run([*PYTEST, "tests/stepfork/test_incident.py"])
    if tested.returncode != 1 or "issue_refund called 2×" not in tested.stdout:
        raise NotOkError(f"the drafted test exited {tested.returncode}\n{tested.stdout[-3000:]}")


def cloned(shop: Shop, name: str) -> Shop:
    """The repository as another machine has it."""
    clone = Shop(shop.root.parent / name, shop.framework, shop.words)
    clone.git("init", "--quiet", "--initial-branch", "main")
    clone.git("pull", "--quiet", str(shop.root), "main")
    return clone


def executing(shop: Shop) -> list[str]:
    """The options that let the tools run that the recorded run called."""
    shown = json.loads(shop.must([sys.executable, "-m", "stepfork", "show", "refund", "--json"]))
    names = {step["name"] for step in shown["trace"]["steps"] if step["type"] == "tool_call"}
    return [word for name in sorted(names) for word in ("--executes", name)]


CHECKS: tuple[Callable[[Shop, str], None], ...] = (captured, same_bytes, replayed, missed, incident)


def row(framework: Framework, words: list[str], scratch: Path) -> list[str]:
    """Why each column is not ok, "" where it is; a column whose ground is missing is not tried and not ok."""
    framework.make()
    shop = Shop(scratch / framework.name, framework, words)
    reasons: list[str] = []
    with served() as model:
        framework.copy_to(shop.root)
        shop.git("init", "--quiet", "--initial-branch", "main")
        shop.must([sys.executable, "-m", "stepfork", "init"])
        for check in CHECKS:
            if check in {same_bytes, replayed, missed} and reasons[0]:
                reasons.append("there is no fixture")
                continue
            try:
                check(shop, model)
            except NotOkError as error:
                reasons.append(str(error))
            else:
                reasons.append("")
    return reasons


@contextmanager
def scratch_folder(keep: Path | None) -> Iterator[Path]:
    """An empty folder; one that is kept is emptied first."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="stepfork-frameworks-") as folder:
            yield Path(folder).resolve()
    else:
        shutil.rmtree(keep, ignore_errors=True)
        keep.mkdir(parents=True)
        yield keep.resolve()


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/frameworks/run", description=__doc__)
    parser.add_argument("frameworks", nargs="*", metavar="FRAMEWORK", help="all of them where none is named")
    parser.add_argument("--stream", action="store_true", help="the agents stream their model calls")
    parser.add_argument("--environments", type=Path, default=default_folder(), metavar="FOLDER")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the scratch repositories and logs there")
    options = parser.parse_args()
    known = frameworks(options.environments.resolve())
    if unknown := set(options.frameworks) - set(known):
        parser.error(f"no such framework: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    words = ["--stream"] if options.stream else []
    width = max(map(len, known))
    print(" " * width, *COLUMNS, sep="   ", flush=True)
    good = True
    with scratch_folder(options.keep) as scratch:
        for name in options.frameworks or known:
            reasons = row(known[name], words, scratch)
            cells = ["FAIL" if reason else "ok" for reason in reasons]
            padded = (cell.ljust(len(title)) for cell, title in zip(cells, COLUMNS, strict=True))
            print(name.ljust(width), *padded, sep="   ", flush=True)
            for title, reason in zip(COLUMNS, reasons, strict=True):
                if reason:
                    print(f"  {title}: {reason}".replace("\n", "\n    "), flush=True)
            good = good and not any(reasons)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
