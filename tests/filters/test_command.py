import json
import re
import subprocess
import time
from pathlib import Path

import pytest

from app.domain.errors import FilterFailed, TextFailed
from app.domain.pairing import Filter
from app.filters import child, command
from tests.filters.programs import TIDY, odd, program

SECRET = "um please call my sister"
PROMPT = 0.6  # seconds that a test waits for a program that never answers


def answers(words, texts=("one", SECRET, "three"), seconds=20.0):
    with command.started(words, seconds) as running:
        return [running.answer(text, enabled=True) for text in texts]


def failure(words, seconds=20.0):
    """Return what the adapter says of a program; none of it is a text."""
    with pytest.raises(FilterFailed) as refused:
        answers(words, seconds=seconds)
    assert SECRET not in str(refused.value)
    assert "sister" not in str(refused.value)
    return str(refused.value)


def test_a_program_says_what_it_is_and_answers_each_text_off_and_on(tmp_path):
    with command.started(program(tmp_path, TIDY), 20) as running:
        assert running.filter == Filter("tidy", "1.0", '{"off":{"drop":[]},"on":{"drop":["um"]}}')
        both = [running.answer("so um yes", enabled=enabled) for enabled in (False, True)]
    assert both == ["so um yes", "so yes"]


def test_the_program_that_the_docs_print_is_one(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "file-formats.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    with command.started(program(tmp_path, source), 20) as running:
        assert (str(running.filter), running.answer("so um yes", enabled=True)) == ("no-um 1", "so yes")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " two  spaces ",
        "a\nb\r\nc\td",
        '"quoted" \\ back',
        "na\u00efve 😀 e\u0301",
        "\u2028\u2029\u0085",
        "x" * 20_000,
    ],
    ids=["empty", "spaces", "line ends", "quotes", "unicode", "separators", "long"],
)
def test_a_text_comes_back_as_it_went(tmp_path, text):
    assert answers(program(tmp_path, TIDY), [text]) == [text]


def test_texts_of_twenty_thousand_wide_characters_do_not_fill_a_pipe_for_good(tmp_path):
    wide = "😀" * 20_000
    assert answers(program(tmp_path, TIDY), [wide] * 3) == [wide] * 3


MISBEHAVIOUR = {
    "another id": ("told(answer | {'id': 7})", "another id than 2"),
    "an id that is text": ("told(answer | {'id': '2'})", "another id than 2"),
    "an id that is true": ("told(answer | {'id': True})", "another id than 2"),
    "no id": ("told({'text': asked['text']})", "another id than 2"),
    "no JSON": ("told(asked['text'])", "not one JSON object on one line"),
    "an empty line": ("told('')", "not one JSON object on one line"),
    "two objects on a line": ("told(json.dumps(answer) * 2)", "not one JSON object on one line"),
    "a key twice": ('told(\'{"id": 2, "text": "a", "text": "b"}\')', "not one JSON object on one line"),
    "too deep": ("told('[' * 100_000)", "not one JSON object on one line"),
    "too many digits": ("told('{\"id\": ' + '9' * 5_000 + '}')", "not one JSON object on one line"),
    "a list": ("told([2, asked['text']])", "JSON that is no object"),
    "a number as text": ("told(answer | {'text': 5})", "a “text” that is no text"),
    "no text": ("told({'id': 2})", "other keys than id, text"),
    "a key too many": ("told(answer | {'note': asked['text']})", "other keys than id, text"),
    "not UTF-8": ('os.write(1, b\'{"id": 2, "text": "\\xff"}\\n\')', "bytes that are not UTF-8"),
    "two lines": ("told(json.dumps(answer) + '\\n' + json.dumps(answer))", "more than one line for one question"),
    "the end": ("sys.exit(0)", "ended (exit code 0) before it answered"),
    "a failure": ("sys.exit(3)", "ended (exit code 3) before it answered"),
    "half a line, then the end": ("os.write(1, b'{'), sys.exit(0)", "ended (exit code 0) before it answered"),
    "a signal": ("os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9 before it answered"),
    "a line without an end": ("os.write(1, b'x' * 3_000_000)", "a line of more than 1,048,576 bytes"),
}


@pytest.mark.parametrize(("instead", "told"), MISBEHAVIOUR.values(), ids=MISBEHAVIOUR)
def test_a_program_that_answers_otherwise_is_told_what_it_did(tmp_path, instead, told):
    assert told in failure(odd(tmp_path, instead))


@pytest.mark.parametrize(
    "instead",
    [
        "time.sleep(60)",
        "sys.stdout.write(json.dumps(answer) + '\\n'), time.sleep(60)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN), time.sleep(60)",
        "[(os.write(1, b'x'), time.sleep(0.05)) for _ in range(1_000)]",
        "subprocess.run(['sleep', '60'])",
    ],
    ids=["it hangs", "it does not flush", "it will not end", "it drips", "it waits for another program"],
)
def test_a_program_that_gives_no_answer_in_time_is_ended(tmp_path, instead):
    began = time.monotonic()
    assert "gave no answer within 0.6 seconds" in failure(odd(tmp_path, instead), seconds=PROMPT)
    assert time.monotonic() - began < 5


def test_a_program_that_reads_nothing_is_ended_too(tmp_path):
    words = program(
        tmp_path, 'import time\nprint(\'{"name": "a", "version": "1", "config": {}}\', flush=True)\ntime.sleep(60)'
    )
    with pytest.raises(FilterFailed, match="no answer within"), command.started(words, PROMPT) as running:
        running.answer("😀" * 200_000, enabled=True)


def test_each_text_has_the_whole_time(tmp_path):
    slow = TIDY.replace("import json, sys", "import json, sys, time").replace("print(", "time.sleep(0.3); print(")
    assert answers(program(tmp_path, slow), ["a"] * 4, seconds=PROMPT) == ["a"] * 4


def test_a_program_that_floods_before_it_is_asked_is_stopped(tmp_path):
    flood = "import os\nwhile True: os.write(1, b'x' * 65_536)"
    told = failure(program(tmp_path, flood))
    assert "wrote something before it was asked" in told or "a line of more than 1,048,576 bytes" in told


def test_what_it_last_wrote_to_standard_error_is_shown_without_control_characters(tmp_path):
    many = "[print(f'line {n} \\x1b[31m', file=sys.stderr) for n in range(50)], sys.exit(1)"
    told = failure(odd(tmp_path, many))
    assert "The last it wrote to standard error:" in told
    assert "line 49 \N{REPLACEMENT CHARACTER}[31m" in told
    assert "line 39 " not in told


def test_a_flood_on_standard_error_stops_nothing(tmp_path):
    flood = "sys.stderr.write('x' * 5_000_000), told(answer)"
    assert answers(odd(tmp_path, flood)) == ["one", SECRET, "three"]


def test_an_error_of_its_own_is_of_one_text_and_the_next_is_answered(tmp_path):
    words = odd(tmp_path, "told({'id': 2, 'error': 'cannot\\x1b read it\\n' + 'x' * 900})")
    with command.started(words, 20) as running:
        assert running.answer("one", enabled=True) == "one"
        with pytest.raises(TextFailed) as refused:
            running.answer("two", enabled=True)
        assert running.answer("three", enabled=True) == "three"
    assert str(refused.value).startswith("the filter says: cannot\N{REPLACEMENT CHARACTER} read it")
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"version": "1", "config": {}}, "other keys than config, name, version"),
        ({"name": "a", "version": "1", "config": {}, "more": 1}, "other keys than config, name, version"),
        ({"name": "", "version": "1", "config": {}}, "a “name” that is no text"),
        ({"name": "a", "version": 1, "config": {}}, "a “version” that is no text"),
        ({"name": "a\n", "version": "1", "config": {}}, "a “name” that is no text"),
        ({"name": "a" * 201, "version": "1", "config": {}}, "a “name” that is no text"),
        ({"name": "a", "version": "1", "config": []}, "a “config” that is no object"),
        ({"name": "a", "version": "1", "config": {"seed": 2**60}}, "a number or a character that cannot be recorded"),
        (
            {"name": "a", "version": "1", "config": {"half": "\ud800"}},
            "a number or a character that cannot be recorded",
        ),
        ({"name": "a", "version": "1", "config": {"not": float("nan")}}, "a number or a character that cannot be"),
        ({"name": "a", "version": "1", "config": {"long": "x" * 70_000}}, "a “config” of more than 65,536 bytes"),
    ],
)
def test_what_a_program_says_of_itself_is_read_strictly(tmp_path, said, told):
    words = program(
        tmp_path, f"import sys\nsys.stdin.readline()\nprint({json.dumps(said)!r}, flush=True)\nsys.stdin.read()"
    )
    assert told in failure(words)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["no-such-program-anywhere"], "“no-such-program-anywhere” cannot be started: No such file"),
        (["/"], "“/” cannot be started: Permission denied"),
        (["a\0b"], "cannot be started: its name cannot be used"),
    ],
)
def test_a_program_that_cannot_be_started_is_named(words, told):
    assert told in failure(words)


@pytest.mark.parametrize(
    ("at_the_end", "told"),
    [
        ("sys.exit(4)", "answered every line, and then failed"),
        ("told('done')", "more than one line for one question"),
    ],
)
def test_a_program_that_fails_after_its_last_answer_has_failed(tmp_path, at_the_end, told):
    assert told in failure(odd(tmp_path, at_the_end=at_the_end))


def test_a_program_that_does_not_end_when_nothing_more_comes_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(child, "PATIENCE", 0.5)
    assert answers(odd(tmp_path, at_the_end="time.sleep(60)")) == ["one", SECRET, "three"]


def test_nothing_of_a_program_is_left_after_a_failure(tmp_path):
    noted = tmp_path / "pids"
    pair = "inner = subprocess.Popen(['sleep', '60'])\n            "
    note = f"open({str(noted)!r}, 'w').write(f'{{os.getpid()}} {{inner.pid}}'), time.sleep(60)"
    failure(odd(tmp_path, pair + note), seconds=PROMPT)
    assert [number for number in noted.read_text().split() if runs(number)] == []


def runs(number):
    """Tell whether a process still runs; one that only waits to be collected does not."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", number], capture_output=True, text=True, check=False).stdout
    return not told.strip().startswith("Z") and bool(told.strip())


def test_the_environment_is_as_it_is_and_no_shell_reads_the_words(tmp_path, monkeypatch):
    monkeypatch.setenv("TIDY_WORD", "hm")
    source = TIDY.replace('["um"]', '[os.environ["TIDY_WORD"], sys.argv[1]]').replace("import json", "import os, json")
    with command.started([*program(tmp_path, source), "$HOME; echo *"], 20) as running:
        assert json.loads(running.filter.config)["on"] == {"drop": ["hm", "$HOME; echo *"]}
