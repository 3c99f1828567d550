"""stepfork: one real agent run as a fixture in git."""
