"""Watches a run: the way out to the providers, spans and exchanges put together as one run."""
