"""What exported regression tests import, for ever: ``stepfork.export.runtime``."""
