"""The variables through which git tells its hooks where they are, kept or removed as a caller asks.

A hook runs with ``GIT_INDEX_FILE`` and, in a linked worktree, ``GIT_DIR`` set. A command that asks about the
very commit being made needs them; one that calls git in any other folder is led astray by them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: What ``git rev-parse --local-env-vars`` lists (the variables that belong to one repository), and the quarantine.
#: What a watched program is kept from is `GIT_HOOK_VARIABLES` of ``listener/environment``, which knows no git; a test
#: holds the two together.
LOCAL_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)

#: Those of them that say where the repository is.
PLACE_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_INDEX_FILE")

#: Variables that change what our own arguments mean.
_MEANING = ("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")


def without_hook_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """A copy of ``environ`` without what git tells a hook: the environment for a command of the user's."""
    return {key: value for key, value in environ.items() if key not in LOCAL_VARIABLES}


def for_reading(environ: Mapping[str, str], *, hook: bool) -> dict[str, str]:
    """The environment of a git program that only reads: ``hook`` keeps the repository that a hook was given.

    Messages are in English, numbers and patterns are bytes (``LC_ALL=C``), and no lock is taken for a mere
    refresh of the index (``GIT_OPTIONAL_LOCKS=0``), so that a command in a hook never disturbs the commit.
    """
    kept = dict(environ) if hook else without_hook_variables(environ)
    for key in _MEANING:
        kept.pop(key, None)
    kept.update(LC_ALL="C", GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", GIT_PAGER="cat")
    return kept
