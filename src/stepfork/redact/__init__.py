"""No secret reaches the store: what a credential looks like, which values are known, and what stands instead."""
