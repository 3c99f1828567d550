"""A comparison as one HTML file that needs nothing else: no network, no script to be read, no template engine."""
