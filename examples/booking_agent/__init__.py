"""A booking agent with a bug, and how the bug becomes a regression test."""

from .agent import run_agent as run_agent
