import pytest

from stepfork.normalize.emails import find_emails


def found(text):
    return [text[email.start : email.end] for email in find_emails(text)]


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
        ("o'brien@example.com, tim.o'reilly@example.com", ["o'brien@example.com", "tim.o'reilly@example.com"]),
        (
            "email='ada@example.com', b'bob@example.com' f'eve@example.com'",
            ["ada@example.com", "bob@example.com", "eve@example.com"],
        ),
        ("('o'brien@example.com')", ["brien@example.com"]),
        (
            'write to "ada lovelace"@example.com or "a@b"@example.org',
            ['"ada lovelace"@example.com', '"a@b"@example.org'],
        ),
        ("ada@bücher.example and ada@xn--bcher-kva.example", ["ada@bücher.example", "ada@xn--bcher-kva.example"]),
        ("ada@例え.jp ada@почта.рф ada@उदाहरण.भारत", ["ada@例え.jp", "ada@почта.рф", "ada@उदाहरण.भारत"]),
        ("発送先はada@example.comです", ["ada@example.com"]),
        ("дмитрий@почта.рф", ["дмитрий@почта.рф"]),
        ("?to=ada%40example.com&x=1", ["ada%40example.com"]),
        ("/users/ada%2Bshop%40example.co.uk/orders", ["ada%2Bshop%40example.co.uk"]),
        ("q=to%3Dada%40example.com%26x", ["ada%40example.com"]),
        ("j%C3%B6rg%40b%C3%BCcher.example", ["j%C3%B6rg%40b%C3%BCcher.example"]),
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
        "100%40 off",
        "%40example.com",
        "a%40b",
        'say "@example.com"',
        '""@example.com',
    ],
)
def test_what_only_looks_like_an_address(text):
    assert found(text) == []


def test_many_signs_cost_little():
    assert found("@" * 20000) == []
    assert found("a" * 50000 + "@") == []
