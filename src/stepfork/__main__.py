"""``python -m stepfork``."""

from stepfork.cli.main import main

raise SystemExit(main())
