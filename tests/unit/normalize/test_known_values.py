from datetime import datetime

import pytest

from stepfork.normalize.known import Context, find_known, known_values, restore

CONTEXT = Context(
    started_ns=0,
    ended_ns=0,
    cwd="/home/mkowalski/agent",
    home="/home/mkowalski",
    tmp="/tmp",
    hostname="buildbox7",
    user="mkowalski",
    listener="127.0.0.1:39477",
    token="f" * 32,
)


def templated(text, context=CONTEXT):
    spans = sorted(find_known(text, known_values(context)), key=lambda span: (span[0], -span[1]))
    out, cursor = "", 0
    for start, end, placeholder in spans:
        if start >= cursor:
            out, cursor = out + text[cursor:start] + str(placeholder), end
    return out + text[cursor:]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/home/mkowalski/agent/a.py", "{{cwd}}/a.py"),
        ("in /home/mkowalski/agent.", "in {{cwd}}."),
        ("/home/mkowalski/agents", "{{home}}/agents"),
        ("/home/mkowalski/x", "{{home}}/x"),
        ("file:///home/mkowalski/x", "file://{{home}}/x"),
        ("PATH=/home/mkowalski/bin:/tmp", "PATH={{home}}/bin:{{tmp}}"),
        (
            "/home/mkowalski/.claude/projects/-home-mkowalski-agent/memory/",
            "{{home}}/.claude/projects/{{cwd_slug}}/memory/",
        ),
        ("/private/tmp/x", "{{tmp}}/x"),
        ("mkowalski on buildbox7.local", "{{user}} on {{host}}.local"),
        ("http://127.0.0.1:39477/" + "f" * 32 + "/openai/v1", "http://{{listener}}/{{listener_token}}/openai/v1"),
        ("localhost:39477", "{{listener}}"),
    ],
)
def test_known_values_become_placeholders(text, expected):
    assert templated(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "/home/mkowalski2/x",
        "/home/mkowalski-old",
        "/srv/home/mkowalski",
        "https://example.com/tmp/x",
        "/tmpfs",
        "mkowalskis",
        "127.0.0.1:394771",
        "127.0.0.1:39478",
    ],
)
def test_no_part_of_a_longer_word_is_one(text):
    if "home" in text and "srv" not in text:
        assert "{{home}}" not in templated(text)
    else:
        assert templated(text).replace("{{user}}", "mkowalski") == text


def test_short_and_empty_values_are_not_looked_for():
    bare = Context(started_ns=0, ended_ns=0, cwd="/", home="/ab", hostname="vm", user="ada", listener="", token="")
    assert known_values(bare) == ()


def test_a_name_that_is_a_word_counts_only_where_a_name_is_meant():
    root = Context(started_ns=0, ended_ns=0, home="/root", user="root", hostname="localhost")
    assert templated("the root cause; root of the tree; localhost:8080", root) == (
        "the root cause; root of the tree; localhost:8080"
    )
    assert templated("root@buildbox: /root/x, /home/root/x", root) == "{{user}}@buildbox: {{home}}/x, /home/{{user}}/x"


def test_windows_paths_are_found_in_both_spellings():
    windows = Context(started_ns=0, ended_ns=0, home=r"C:\Users\mkowalski")
    assert templated(r"C:\Users\mkowalski\x and C:/Users/mkowalski/x", windows) == r"{{home}}\x and {{home}}/x"


def test_known_values_are_given_back():
    assert restore("{{home}}/venv/bin/python {{!home}} {{id_1}} {{cwd_slug}}", CONTEXT) == (
        "/home/mkowalski/venv/bin/python {{home}} {{id_1}} -home-mkowalski-agent"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Today is 2026-12-01.", "Today is {{today}}."),
        ('{"day": "2026-12-01"}', '{"day": "{{today}}"}'),
        ("logs/2026-12-01/a and 2026-12-01.txt", "logs/{{today}}/a and {{today}}.txt"),
        ("2026-12-02", "2026-12-02"),
        ("2026-12-01T10:00:00Z, 2026-12-01 10:00", "2026-12-01T10:00:00Z, 2026-12-01 10:00"),
        ("SKU 2026-12-01-88, 12026-12-01, v1.2026-12-01", "SKU 2026-12-01-88, 12026-12-01, v1.2026-12-01"),
    ],
)
def test_the_day_of_the_run_is_looked_for_where_a_project_asks_for_it(text, expected):
    noon = int(datetime(2026, 12, 1, 12).astimezone().timestamp() * 1e9)
    context = Context(noon, noon, finds_today=True)
    assert templated(text, context) == expected
    assert restore(expected, Context(noon, noon)) == text
    assert templated(text, Context(noon, noon)) == text
