from datetime import UTC, datetime

import pytest

from stepfork.normalize.known import Context
from stepfork.normalize.matching import Matcher
from stepfork.normalize.times import moments, whole_moment
from stepfork.normalize.told import Told

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
CONTEXT = Context(started_ns=int(NOON.timestamp()) * 10**9, ended_ns=int(NOON.timestamp() + 60) * 10**9)


def times(text):
    spans = Matcher(CONTEXT, Told()).spans(text)
    return [(text[span.start : span.end], span.value) for span in spans if span.kind == "timestamp"]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("2026-11-30T12:00:01Z", "YYYY-MM-DDThh:mm:ssZ"),
        ("2026-11-30T12:00:01.5Z", "YYYY-MM-DDThh:mm:ss.fffZ"),
        ("2026-11-30T12:00:01.123Z", "YYYY-MM-DDThh:mm:ss.fffZ"),
        ("2026-11-30T12:00:01.123456+00:00", "YYYY-MM-DDThh:mm:ss.ffffff+hh:mm"),
        ("2026-11-30T07:00:01.12345678-0500", "YYYY-MM-DDThh:mm:ss.fffffffff+hhmm"),
        ("2026-11-30 12:00:01", "YYYY-MM-DD hh:mm:ss"),
        ("2026-11-30 12:00:01,123", "YYYY-MM-DD hh:mm:ss,fff"),
        ("2026-11-30T12:00+01:00", "YYYY-MM-DDThh:mm+hh:mm"),
        ("20261130T120001Z", "YYYYMMDDThhmmssZ"),
        ("Mon, 30 Nov 2026 12:00:01 GMT", "Www, DD Mmm YYYY hh:mm:ss GMT"),
        ("Mon, 30 Nov 2026 13:00:01 +0100", "Www, DD Mmm YYYY hh:mm:ss +hhmm"),
        ("Mon Nov 30 12:00:01 2026", "Www Mmm DD hh:mm:ss YYYY"),
        ("Mon Nov 30 12:00:01 CET 2026", "Www Mmm DD hh:mm:ss UTC YYYY"),
        ("Mon Nov 30 12:00:01 2026 -0800", "Www Mmm D hh:mm:ss YYYY +hhmm"),
        ("30 Nov 2026 12:00:01 GMT", "DD Mmm YYYY hh:mm:ss GMT"),
        ("Mon Nov 30 2026 12:00:01 GMT+0100 (Central European Time)", "Www Mmm DD YYYY hh:mm:ss GMT+hhmm"),
        ("2026/11/30 12:00:01", "YYYY/MM/DD hh:mm:ss"),
        ("2026-11-30 12:00:01 +0100", "YYYY-MM-DD hh:mm:ss +hhmm"),
        ("2026-11-30 12:00:01.123456789 +0000 UTC m=+0.00123", "YYYY-MM-DD hh:mm:ss.fffffffff +hhmm"),
        ("11/30/2026, 12:00:01 PM", "M/D/YYYY, h:mm:ss AM"),
        ("11/30/2026, 1:00:01\u202fPM", "M/D/YYYY, h:mm:ss AM"),
        ("30/11/2026, 12:00:01", "DD/MM/YYYY, hh:mm:ss"),
        ("11/30/2026 12:00:01", "MM/DD/YYYY hh:mm:ss"),
        ("30.11.2026, 12:00:01", "D.M.YYYY, hh:mm:ss"),
        ("30/Nov/2026:12:00:01 +0000", "DD/Mmm/YYYY:hh:mm:ss +hhmm"),
        ("Monday, November 30, 2026 at 12:00:01 PM UTC", "Wwww, Mmmm D, YYYY at h:mm:ss AM UTC"),
        ("November 30, 2026 12:00:01", "Mmmm D, YYYY h:mm:ss"),
    ],
)
def test_a_clock_reading_keeps_its_shape(text, shape):
    assert times(text) == [(text, shape)]
    assert times(f"at {text}.") == [(text, shape)]
    assert whole_moment(text) == shape


def test_a_clock_reading_in_a_python_value():
    text = "at=datetime.datetime(2026, 11, 30, 12, 0, 1, 123456, tzinfo=datetime.timezone.utc), x"
    assert times(text) == [("2026, 11, 30, 12, 0, 1, 123456", "YYYY, M, D, h, m, s, ffffff")]


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30",
        "12:00:01",
        "2026-12-03T12:00:01Z",
        "2026-11-28T11:00:01Z",
        "2025-11-30T12:00:01Z",
        "2026-11-30 12:00",
        "2026-13-30T12:00:01Z",
        "2026-11-30T25:00:01Z",
        "12026-11-30T12:00:01Z",
        "2026-11-30T12:00:01Zulu",
        "gpt-4.1-2026-11-30",
        "Mon, 30 Nov 2026",
        "11/30/2026, 12:00 PM",
        "November 30, 2026 at 7:00 PM",
        "30/11/2026",
        "datetime.date(2026, 11, 30)",
        "1.30.11.2026, 12:00:01",
        "9999-99-99T99:99:99Z",
        "0001-01-01T00:00:00+23:59",
    ],
)
def test_dates_bookings_and_other_days_are_data(text):
    assert times(text) == []


def test_the_window_reaches_a_day_to_both_sides():
    assert times("2026-11-29T12:00:30Z")
    assert times("2026-12-01T12:00:30Z")
    assert not times("2026-11-29T11:59:00Z")
    assert not times("2026-12-01T12:02:00Z")


def test_without_a_capture_no_text_is_a_time():
    assert Matcher(None, Told()).spans("2026-11-30T12:00:01Z") == ()
    assert list(moments("2026-11-30T12:00:01Z"))


@pytest.mark.parametrize(
    ("text", "shape"), [("1796064174", "epoch"), ("1796064174123", "epoch-ms"), ("42", None), ("O-1796064174", None)]
)
def test_numbers_of_seconds_count_only_as_a_whole_text(text, shape):
    assert whole_moment(text) == shape
