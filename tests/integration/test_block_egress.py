"""--block-egress: what Python and Node programs can and cannot reach."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepfork.replay.environment import replay_environment

AWAY = "192.0.2.1"  # TEST-NET-1, RFC 5737: nobody's

PYTHON = """
import asyncio, socket, sys, threading, urllib.request, _socket
AWAY, PORT = sys.argv[1], int(sys.argv[2])

def told(what, *args):
    try:
        what(*args)
    except OSError as error:
        return f"{type(error).__name__}: {error.strerror}"
    return "open"

def asked(family, kind, method, *args):
    with socket.socket(family, kind) as made:
        return told(getattr(made, method), *args)

INET, INET6, TCP, UDP = socket.AF_INET, socket.AF_INET6, socket.SOCK_STREAM, socket.SOCK_DGRAM
print(asked(INET, TCP, "connect", (AWAY, 443)))
print(asked(INET, TCP, "connect_ex", (AWAY, 443)))
print(asked(INET, TCP, "connect", ("models.invalid", 443)))
print(asked(INET6, TCP, "connect", (f"::ffff:{AWAY}", 443)))
print(asked(INET, UDP, "sendto", b"x", (AWAY, 53)))
print(asked(INET, UDP, "sendmsg", [b"x"], [], 0, (AWAY, 53)))
print(told(_socket.socket(INET, TCP).connect, (AWAY, 443)))
print(told(socket.create_connection, ("models.invalid", 443)))
print(told(socket.gethostbyname_ex, "models.invalid"))
print(told(socket.getnameinfo, (AWAY, 443), 0))
print(told(lambda: asyncio.run(asyncio.open_connection(AWAY, 443))))
thread = threading.Thread(target=lambda: print(told(socket.create_connection, (AWAY, 443))))
thread.start()
thread.join()
print(told(urllib.request.urlopen, "https://models.invalid/"))
for here in ("127.0.0.1", "localhost"):
    print(told(socket.create_connection, (here, PORT)))
print(told(socket.getaddrinfo, AWAY, 443))
"""

NODE = """
const net = require('node:net'), dns = require('node:dns'), dgram = require('node:dgram');
const [away, port] = process.argv.slice(2);
const said = (error) => console.log(error ? `${error.code} ${error.message}` : 'open');
const dial = (...args) => new Promise((done) => {
  const made = net.connect(...args);
  made.once('connect', () => { made.destroy(); said(); done(); });
  made.once('error', (error) => { said(error); done(); });
});
(async () => {
  await dial(443, away);
  await dial({ host: 'models.invalid', port: 443 });
  await fetch('https://models.invalid/').catch((error) => said(error.cause));
  await dns.promises.lookup('models.invalid').catch(said);
  await dns.promises.resolve4('models.invalid').catch(said);
  await new Promise((done) => dns.lookup('models.invalid', (error) => { said(error); done(); }));
  try { dgram.createSocket('udp4').send('x', 53, away); } catch (error) { said(error); }
  await dial(port, '127.0.0.1');
  await dial(port);
})().then(() => process.exit(0));
"""


@pytest.fixture
def port() -> Iterator[int]:
    """A port of this machine that can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def run(*command: str | Path, cwd: Path, **parent: str) -> str:
    environment = replay_environment({**os.environ, **parent}, "http://127.0.0.1:1/token", block_egress=True)
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_python_reaches_this_machine_and_nothing_else(project: Path, port: int) -> None:
    (project / "probe.py").write_text(PYTHON)
    lines = run(sys.executable, "probe.py", AWAY, str(port), cwd=project).splitlines()
    refused, unasked = "PermissionError: stepfork replay --block-egress:", "gaierror: stepfork replay --block-egress:"
    assert [line.partition(" only this")[0] for line in lines] == [
        *[refused] * 7,
        *[unasked] * 3,
        *[refused] * 2,
        lines[12],
        "open",
        "open",
        "open",
    ]
    assert lines[0].endswith(f"and {AWAY} port 443 is not on it")
    assert lines[7].endswith("and models.invalid is not looked up")
    assert lines[12] != "open"  # by way of the proxy that the variables name, which is the listener


NESTED = """
import os, subprocess, sys, sitecustomize
print(sys.mine == sitecustomize.__file__, [entry for entry in sys.path if entry.endswith("guard")])
dial = "import socket; socket.create_connection(('192.0.2.1', 443))"
print(subprocess.run([sys.executable, "-c", dial], stderr=subprocess.PIPE, text=True).stderr)
"""


def test_the_guard_gives_way_to_the_users_own_and_is_inherited(project: Path) -> None:
    own = project / "lib" / "sitecustomize.py"
    own.parent.mkdir()
    own.write_text("import sys\nsys.mine = __file__\n")
    said = run(sys.executable, "-c", NESTED, cwd=project, PYTHONPATH="lib")
    assert said.startswith("True []\n")
    assert "--block-egress: only this machine may be reached" in said
    own.write_text("import no_such_module\n")  # Python says so and goes on, as without the guard
    assert run(sys.executable, "-c", "print('runs')", cwd=project, PYTHONPATH="lib") == "runs\n"


if shutil.which("node"):  # a plus where there is one: Python is what the guard is for

    def test_node_reaches_this_machine_and_nothing_else(project: Path, port: int) -> None:
        (project / "probe.cjs").write_text(NODE)
        node = shutil.which("node")
        assert node is not None
        lines = run(node, "probe.cjs", AWAY, str(port), cwd=project).splitlines()
        assert [line.partition(" only this")[0] for line in lines] == [
            *["EACCES stepfork replay --block-egress:"] * 3,
            *["EAI_FAIL stepfork replay --block-egress:"] * 3,
            "EACCES stepfork replay --block-egress:",
            "open",
            "open",
        ]
