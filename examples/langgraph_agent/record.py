"""Run the agent with the bug once and keep the run: python record.py BUNDLE."""

import sys

from agent import run_agent

import stepfork

with stepfork.record("refund", output=sys.argv[1], allow_capture=True) as capture:
    print(capture.run(run_agent, "O-1042"))
