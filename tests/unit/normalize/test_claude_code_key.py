"""Of Claude Code's requests, what differs between machines or days is not in the key."""

import pytest

from stepfork.normalize.request_key import request_key
from tests.unit.normalize.claude_code import OTHER_DAY, body, reminder, surroundings
from tests.unit.normalize.scripted import World, exchange


def key(value):
    return request_key(exchange("messages", value, {}, provider="anthropic"), World(1).context())


def test_another_machine_and_day_make_no_difference():
    assert key(body(**OTHER_DAY)) == key(body())


def test_it_is_the_same_where_the_message_is_a_list_of_blocks():
    one, two = body(), body(**OTHER_DAY)
    for value in (one, two):
        value["messages"][1]["content"] = [{"type": "text", "text": value["messages"][1]["content"]}]
    assert key(one) == key(two)


@pytest.mark.parametrize("changes", ["", "(clean)", "?? a.txt\n?? b.txt"])
@pytest.mark.parametrize("commits", ["", "1a2b3c4 first\n5d6e7f8 second"])
@pytest.mark.parametrize("user", ["", "Git user: Ada\n\n"])
def test_what_git_has_nothing_to_say_of_is_left_out(changes, commits, user):
    def told(user, changes, commits):
        said = f"{user}Status:\n{changes}\n\nRecent commits:\n{commits}\n\nUse it.\n\nOr not."
        return body(told=f"<system-reminder>\n# gitStatus\nA snapshot.\n\n{said}\n</system-reminder>")

    full = told("Git user: Lin\n\n", "?? c.txt", "9f8e7d6 one")
    assert key(told(user, changes, commits)) == key(full)
    assert key(told(user, changes, f"{commits}\n\nUse it well.")) != key(full)


def test_the_stored_request_is_left_as_it_is():
    value = body()
    given = exchange("messages", value, {}, provider="anthropic")
    request_key(given)
    assert given.request.body.value == value


@pytest.mark.parametrize(
    "change",
    [
        {"said": "Refund it twice."},
        {"told": reminder(memory="Never say please.")},
        {"told": reminder(memory="Status:\nopen")},
        {"context": surroundings() + "\n\nUse metric units."},
        {"context": surroundings().replace("quote values", "use curly quotes")},
        {"prompt": "You refund once.\n# Environment\nPlatform: staging"},
        {"prompt": "Today's date is 2026-11-30."},
        {"prompt": "gitStatus: open\n\nStatus:\nopen"},
        {"prompt": "<env>\nPlatform: staging\n</env>"},
        {"said": "Status: delivered\nToday's date is 2026-11-30."},
        {"said": "# currentDate\nToday's date is 2026-11-30."},
        {"result": reminder()},
        {"result": "<total_tokens>5</total_tokens>"},
    ],
)
def test_every_other_line_counts(change):
    assert key(body(**change)).prompt != key(body()).prompt


@pytest.mark.parametrize("line", ["Today's date is {}.", "# Environment\nPlatform: {}", "Status:\n{}", "gitStatus: {}"])
def test_lines_of_an_applications_own_prompt_keep_their_meaning(line):
    assert key(body(prompt=line.format("2026-11-30"))) != key(body(prompt=line.format("2027-01-02")))
    assert key(body(said=line.format("2026-11-30"))) != key(body(said=line.format("2027-01-02")))


def test_results_of_tools_are_data_even_where_they_look_like_reminders():
    assert key(body(result=reminder(left=1))) != key(body(result=reminder(left=2)))


def test_the_list_in_its_system_prompt_does_not_count_either():
    older = "{}\nHere is useful information about the environment you are running in:\n<env>\nWorking directory: {}\n"
    older += (
        "Is directory a git repo: Yes\nPlatform: {}\nOS Version: 5\nToday's date: {}\n</env>\nYou are powered by the"
    )
    older += " model named Opus 9. The exact model ID is m-9.\n\ngitStatus: This is the git status at the start.\n"
    older += "Current branch: {}\n\nStatus:\n{}\n\nRecent commits:\n{}"
    one = older.format("Help.", "/a", "linux", "2026-11-30", "main", "M a", "1 a\n2 b")
    two = older.format("Help.", "/b", "darwin", "2026-12-01", "fix", "(clean)", "3 c")
    assert key(body(prompt=one)) == key(body(prompt=two))
    assert key(body(prompt=one)) != key(body(prompt=one.replace("Help.", "Help more.")))


def test_a_request_that_is_not_claude_codes_is_taken_whole():
    one, two = body(), body(**OTHER_DAY)
    for value in (one, two):
        value["system"] = "You refund once."
        value["metadata"] = {}
    assert key(one).prompt != key(two).prompt


def test_tokens_left_are_no_part_of_a_turn():
    one, two = body(), body()
    two["messages"][0]["content"][0]["text"] = reminder(left=3)
    for value, left in ((one, 9), (two, 8)):
        value["messages"].append(
            {"role": "user", "content": [{"type": "text", "text": f"<total_tokens>{left}</total_tokens>"}]}
        )
    assert key(one) == key(two)


@pytest.mark.parametrize("beginning", ["You are powered by the model named x", "Assistant knowledge cutoff is "])
def test_a_line_of_beginnings_without_an_end_is_read_once(beginning):
    one = body(prompt=surroundings() + "\n" + beginning * 20_000)
    assert key(one) != key(body(prompt=surroundings()))
