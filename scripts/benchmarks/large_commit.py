"""The hook on a commit of one file of 170 MiB whose last line holds a secret, of the same without it, of many names.

Takes half a minute, so `scripts/bench` leaves it out. Prints seconds and peak memory; exits 1 where an answer is wrong.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZE = 170 << 20
LINE = b"2026-12-01T07:00:00Z INFO request handled in 12 ms, 200 OK, path=/v1/items/8817, agent=worker-3\n"
SECRET = "sk-" + "proj" + "-EXAMPLE0notArealKey1abcdefghij2klmnop3"
NAMES = 2000


class Repository:
    """An empty repository with the hook; git keeps blobs as they are, so that its own time is small."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        told = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        for who in ("AUTHOR", "COMMITTER"):
            told |= {f"GIT_{who}_NAME": "t", f"GIT_{who}_EMAIL": "t@example.com"}
        self.environ = {**os.environ, **told}
        self.git("init", "--quiet")
        self.git("config", "core.compression", "0")

    def git(self, *words: str) -> int:
        words = ("git", *words)
        return subprocess.run(words, cwd=self.folder, env=self.environ, capture_output=True, check=False).returncode

    def hook(self, *names: str) -> None:
        path = self.folder / ".git" / "hooks" / "pre-commit"
        path.write_text(f"#!/bin/sh\nexec {sys.executable} -m stepfork check-redaction {' '.join(names)}\n")
        path.chmod(0o755)

    def commit(self, what: str, expected: int) -> bool:
        """Whether the commit ended as it should; prints how long it took."""
        self.git("add", "--all")
        start = time.perf_counter()
        code = self.git("commit", "--quiet", "--message", what)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
        print(f"{what}: {seconds:.2f} s, exit {code}, peak so far {peak} MiB{'' if code == expected else '   WRONG'}")
        return code == expected


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository(folder)
        repository.hook(*(f"{number}.json" for number in range(NAMES)))
        for number in range(NAMES):
            (repository.folder / f"{number}.json").write_text(f'{{"number": {number}}}\n')
        right = [repository.commit(f"{NAMES} small files by name", 0)]
        repository.hook()
        large = repository.folder / "large.log"
        for last, expected in ((f"key {SECRET}\n", 1), ("key none\n", 0)):
            with large.open("wb") as file:
                for _ in range(SIZE // (1000 * len(LINE))):
                    file.write(LINE * 1000)
                file.write(last.encode())
            right.append(repository.commit(f"{SIZE >> 20} MiB {'with' if expected else 'without'} a secret", expected))
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
