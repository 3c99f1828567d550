"""Finds pieces of text in a run, at any depth, and replaces them in place: the engine of redact and normalize."""
