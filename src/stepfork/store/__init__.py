"""Fixtures on disk: objects, manifests, bundles, and their care. The authority is ``docs/reference/format.md``."""
