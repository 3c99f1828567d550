"""Where the requests of each API go, behind a provider's prefix."""

from __future__ import annotations

PATHS = {"chat_completions": "/chat/completions", "responses": "/responses", "messages": "/messages"}
