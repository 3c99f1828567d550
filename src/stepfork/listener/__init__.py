"""Loopback in: the listener that a watched program talks to, and the program itself as a child process."""
