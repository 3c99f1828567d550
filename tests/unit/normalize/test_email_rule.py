import pytest

from stepfork.normalize.emails import find_emails


def found(text):
    return [text[start:end] for start, end in find_emails(text)]


@pytest.mark.parametrize(
    ("text", "emails"),
    [
        ("sent to ada@example.com.", ["ada@example.com"]),
        ("line\nmickey@example.org\n", ["mickey@example.org"]),
        ("<ada.b+tag@mail.example.co.uk>, 'bob@example.com'", ["ada.b+tag@mail.example.co.uk", "bob@example.com"]),
        ("jörg@beispiel.de", ["jörg@beispiel.de"]),
        ("邮箱ada@example.com。", ["ada@example.com"]),
        ("mailto:ada@example.com?subject=x", ["ada@example.com"]),
        ("Ada@Example.COM", ["Ada@Example.COM"]),
    ],
)
def test_addresses(text, emails):
    assert found(text) == emails


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:org/repo.git",
        "https://ada:" + "pw@db.example.com/x",
        "postgres://ada@db.example.com:5432/x",
        "icon@2x.png",
        "pkg@1.2.3",
        "@scope/pkg",
        "@app.route('/')",
        "a@b.mean()",
        "user@localhost",
        "a***@example.com",
        "@",
        "a@",
        "a@b",
        "@example.com",
    ],
)
def test_what_only_looks_like_an_address(text):
    assert found(text) == []


def test_many_signs_cost_little():
    assert found("@" * 20000) == []
    assert found("a" * 50000 + "@") == []
