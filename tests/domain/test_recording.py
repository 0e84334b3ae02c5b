"""By which names recordings are asked for, and how they are found among files."""

import pytest

from app.domain.recording import Given, fit_name


@pytest.mark.parametrize("name", ["a", "ep-01 012.opus", "Äpfel.wav", "e\u0301.wav", "康.flac", ".wav", "console.wav"])
def test_the_name_of_a_file_is_fit(name):
    assert fit_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../a.wav", "a/b.wav", "/a.wav", "..\\a.wav", "C:a.wav", "a.wav:b", "a\0.wav", "a\n.wav"),
        *("con", "CON.wav", "nul .wav", "com1", "Lpt9.a.b", "*.wav", "a?.wav", " a.wav", "a.wav ", "a.wav."),
        *("a\u202evaw", "\u200ba", "a" * 201, 7, None, b"a.wav", ["a.wav"]),
    ],
)
def test_a_way_to_another_folder_or_to_a_device_is_not(name):
    assert not fit_name(name)


def test_a_file_is_found_whichever_way_a_system_writes_its_accents():
    given = Given(frozenset({"cafe\u0301.wav", "b.wav"}), lambda _: b"")
    assert given.find("caf\u00e9.wav") == "cafe\u0301.wav"
    assert given.find("B.wav") is None
    assert given.aside(frozenset({"caf\u00e9.wav"})) == ["b.wav"]


def test_the_very_name_is_preferred_where_a_folder_has_both_ways_of_writing_it():
    given = Given(frozenset({"cafe\u0301.wav", "caf\u00e9.wav"}), lambda _: b"")
    assert {name: given.find(name) for name in given.names} == {name: name for name in given.names}


def test_hidden_files_are_not_worth_a_word():
    assert Given(frozenset({".DS_Store", "a.wav"}), lambda _: b"").aside(frozenset()) == ["a.wav"]
