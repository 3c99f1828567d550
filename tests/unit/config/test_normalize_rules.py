import pytest

from stepfork.config.normalize import field_lines, merged_lines, volatile_lines
from stepfork.config.project import read_settings
from stepfork.errors import ConfigError
from stepfork.normalize.own import NO_OWN, OwnRules

ALL = """
[normalize]
today = true
id_fields = ["booking_ref", "order id"]
time_fields = ["quoted_at"]
duration_fields = ["took_ms"]
id_patterns = ["ORD-[0-9a-f]{12}"]
literal_fields = ["sku"]
literal_patterns = ["support@acme\\\\.example"]
[normalize.tool.quote]
volatile = ["/rate"]
"""


def settings(folder, text):
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return read_settings(folder)


def test_a_projects_rules_are_read(tmp_path):
    found = settings(tmp_path, ALL)
    own = found.normalize
    assert own.id_fields == {"booking_ref", "order id"}
    assert (own.time_fields, own.duration_fields, own.literal_fields) == ({"quoted_at"}, {"took_ms"}, {"sku"})
    assert own.id_patterns[0].fullmatch("ORD-0123456789ab")
    assert own.literal_patterns[0].search("support@acme.example")
    assert found.today
    assert found.volatile == {"quote": ("/rate",)}


def test_a_project_without_rules_has_none(tmp_path):
    assert settings(tmp_path, "[normalize]\nid_fields = []\n").normalize is NO_OWN
    assert not NO_OWN


def test_lines_of_several_misses_are_one_table_each(tmp_path):
    lines = [
        *field_lines({"id_fields": ("a", 'b"c'), "id_patterns": ("ORD-[0-9]{8}",)}),
        *volatile_lines({"x": ("/y",)}),
        *field_lines({"id_fields": ("d", "a")}),
    ]
    found = settings(tmp_path, "\n".join(merged_lines(lines)))
    assert found.normalize == OwnRules(id_fields=("a", 'b"c', "d"), id_patterns=("ORD-[0-9]{8}",))
    assert found.volatile == {"x": ("/y",)}
    assert list(merged_lines([])) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('id_fields = "booking_ref"', "normalize.id_fields is not a list of names of fields"),
        ("time_fields = [5]", "normalize.time_fields is not a list"),
        ('literal_fields = [""]', "normalize.literal_fields is not a list"),
        ('id_patterns = "x"', "normalize.id_patterns is not a list of regular expressions"),
        ("id_patterns = [3]", "entry 1 of normalize.id_patterns is not a regular expression"),
        ('id_patterns = ["a", "(b"]', "entry 2 of normalize.id_patterns does not compile"),
        ('literal_patterns = ["a*"]', "entry 1 of normalize.literal_patterns matches the empty text"),
        ('id_patterns = ["(a+)+b"]', "entry 1 of normalize.id_patterns repeats what already repeats"),
        ('id_fields = ["a"]\nliteral_fields = ["a"]', "normalize.id_fields and normalize.literal_fields both have 'a'"),
        ('ids = ["a"]', "unknown key normalize.'ids'"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(tmp_path, line, said):
    with pytest.raises(ConfigError) as raised:
        settings(tmp_path, f"[normalize]\n{line}\n")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.fix
