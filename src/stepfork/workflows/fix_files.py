"""Files of the disk replaced: everything is prepared first, then put in place file by file, each in one rename. What is
stopped half-way leaves old files and new ones, and none that is half of either."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from stepfork.store.files import replace_file, sync_file, sync_folders, temporary_beside, write_new


class FileFix:
    """Files to be replaced; to `told` goes what stays as it is, with the reason, to `written` what does not."""

    def __init__(self, told: list[tuple[str, str]]) -> None:
        self.written: list[str] = []
        self._told = told
        self._prepared: list[tuple[str, bytes, Path, Path]] = []

    def prepare(self, path: str, old: bytes, new: bytes, target: Path | None = None) -> None:
        """Have `new` written where `old` stands; `target` is where, if not at `path` itself."""
        target = Path(os.path.realpath(target or path))
        temporary = temporary_beside(target)
        try:
            write_new(temporary, new)
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            sync_file(temporary)
        except OSError as error:
            self._told.append((path, f"cannot be written ({error.strerror})"))
            temporary.unlink(missing_ok=True)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        else:
            self._prepared.append((path, old, temporary, target))

    def write(self) -> None:
        """Put everything in place. A file that someone else changed meanwhile stays."""
        for path, old, temporary, target in self._prepared:
            try:
                if target.read_bytes() == old:
                    replace_file(temporary, target)
                    self.written.append(path)
                else:
                    self._told.append((path, "was changed by someone else meanwhile"))
            except OSError as error:
                self._told.append((path, f"cannot be written ({error.strerror})"))
        sync_folders({target.parent for _, _, _, target in self._prepared})

    def discard(self) -> None:
        """Leave nothing behind of what was prepared and not put in place."""
        for _, _, temporary, _ in self._prepared:
            temporary.unlink(missing_ok=True)
