"""Answers a run from its fixture, and says what it could not answer."""
