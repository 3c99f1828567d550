"""Same run, same bytes: what differs between two captures of one run becomes a placeholder."""
