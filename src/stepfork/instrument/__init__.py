"""What runs inside the user's process: recording contexts, traced tools, adapters."""
