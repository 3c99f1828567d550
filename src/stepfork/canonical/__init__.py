"""One value, one byte string, one name. The authority is ``docs/reference/format.md``."""
