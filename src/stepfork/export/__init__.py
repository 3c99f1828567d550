"""A fixture and its contracts as a pytest module."""
