"""Revisions, trees, changes and the index of the repository that holds a store."""
