from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.redact.cookies import is_cookie_name
from stepfork.redact.redactor import Redactor, redact_text
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value
from tests.unit.redact.samples import BEARER, HEX32

SECRETS = Secrets({})
R = "[redacted]"


@pytest.mark.parametrize(
    "text",
    [
        "HTTP/1.1 200 OK\r\nSet-Cookie: session={}; Path=/; HttpOnly\r\n\r\n",
        "GET / HTTP/1.1\r\nCookie: theme=dark; sessionid={}; lang=de\r\n",
        "curl -H 'Cookie: PHPSESSID={}' https://x.example",
        'curl --cookie "JSESSIONID={}; a=b" https://x.example',
        "{{'Cookie': 'connect.sid=s%3A{}; a=b'}}",
        "cookies: sid={}",
        '("set-cookie", "sid={}; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT")',
    ],
)
@pytest.mark.parametrize("value", [BEARER, HEX32])
def test_a_cookie_that_looks_drawn_goes(text: str, value: str) -> None:
    assert redact_text(text.format(value), SECRETS) == text.format(R)
    inside = json.dumps({"stdout": text.format(value)})
    assert SECRETS.prefilter.may_hold_secret(inside)
    assert redact_text(inside, SECRETS) == inside.replace(value, R)


def test_of_several_cookies_each_goes() -> None:
    text = f"Cookie: session={HEX32}; b=1; auth_token={BEARER}\r\nX-Id: {HEX32}\r\n"
    assert redact_text(text, SECRETS) == f"Cookie: session={R}; b=1; auth_token={R}\r\nX-Id: {HEX32}\r\n"


def test_a_member_of_that_name_holds_cookies() -> None:
    document = {"headers": {"set-cookie": [f"sid={BEARER}; Path=/", "theme=dark"], "Cookie": f"sid={HEX32}"}}
    redacted = {"headers": {"set-cookie": [f"sid={R}; Path=/", "theme=dark"], "Cookie": f"sid={R}"}}
    assert rewrite_value(document, Place(()), Redactor(SECRETS)) == redacted


@pytest.mark.parametrize(
    "document",
    [
        {"headers": [{"name": "Cookie", "value": "theme=dark; sid={}"}]},
        {"headers": [{"value": "sid={}; Path=/; HttpOnly", "name": "Set-Cookie"}]},
        {"rawHeaders": ["Host", "x.example", "Cookie", "sid={}; a=b"]},
        {"headers": [["set-cookie", "connect.sid=s%3A{}"]]},
        {"headers": {"set-cookie": {"equalTo": "sid={}"}}},
        {"cookies": [{"name": "theme", "value": "dark"}, {"name": "sid", "value": "{}"}]},
        {"cookies": [{"name": "sid", "value": "{}", "httpOnly": True}, {"name": "a", "value": "b"}]},
        [{"name": "id", "value": "{}", "domain": ".x.example", "httpOnly": True}],
    ],
)
def test_recorders_of_traffic_keep_cookies_in_lists(document: Any) -> None:
    clean = json.loads(json.dumps(document).replace("{}", R))
    for value in (BEARER, HEX32):
        for text in (json.dumps(document, indent=1), json.dumps([json.dumps(document)])):
            found = scan_bytes(text.replace("{}", value).encode(), SECRETS)
            assert len(found) == 1
        leaky = json.loads(json.dumps(document).replace("{}", value))
        assert rewrite_value(leaky, Place(()), Redactor(SECRETS)) == clean
    assert scan_bytes(json.dumps(clean).encode(), SECRETS) == []


def test_what_is_listed_beside_them_stays() -> None:
    document = {
        "headers": [{"name": "Cookie", "value": f"_ga={HEX32}; theme=dark"}, {"name": "ETag", "value": HEX32}],
        "cookies": [{"name": "_ga", "value": HEX32}, {"name": "session", "value": "dark-and-blue-2"}],
        "words": ["Cookie", "a banner, please", "cookies", HEX32],
    }
    assert rewrite_value(document, Place(()), Redactor(SECRETS)) == document
    assert scan_bytes(json.dumps(document).encode(), SECRETS) == []


def test_a_cookie_of_a_browser_goes() -> None:
    cookie = {"name": "sid", "value": BEARER, "domain": ".x.example", "path": "/", "httpOnly": True}
    theme = cookie | {"name": "theme", "value": "dark-and-blue-2"}
    made = rewrite_value({"cookies": [cookie, theme]}, Place(()), Redactor(SECRETS))
    assert made == {"cookies": [cookie | {"value": R}, theme]}


@pytest.mark.parametrize(
    "text",
    [
        "Set-Cookie: theme=dark; Path=/; Max-Age=31536000",
        "Cookie: lang=de-DE; consent=accepted-all-2024; _ga=GA1.2.1234567890.1700000000",
        "Cookie: session=<your session>; sid=$SID",
        f"Set-Cookie: __cf_bm={BEARER}-1700000000-1.0.1.1-{HEX32}; Path=/",
        f"Cookie: _cfuvid={BEARER}; AWSALB={HEX32}; ajs_anonymous_id={HEX32}",
        f"a cookie that is named sid={HEX32[:12]}",
        f"fortune-cookies baked: {HEX32}",
    ],
)
def test_other_cookies_stay(text: str) -> None:
    assert redact_text(text, SECRETS) == text


def test_names_of_members_that_hold_cookies() -> None:
    assert all(map(is_cookie_name, ("Cookie", "set-cookie", "setCookie", "SET_COOKIE", "cookies")))
    assert not any(map(is_cookie_name, ("cookieConsent", "cookie_name", "cooking")))
