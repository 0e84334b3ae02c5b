"""Which new passwords are refused."""

import pytest
from argon2 import extract_parameters

from app.config import content
from app.domain.errors import InvalidInput
from app.domain.password import LIST, fault, folded, normal
from app.security import Passwords, check_new_password, common_passwords

NAMES = ("rosa", "pilot-2", "A small pilot")


def refused(password, *names):
    try:
        check_new_password(password, *(names or NAMES))
    except InvalidInput as error:
        return error.problems[0].message
    return None


def test_the_packaged_list_is_folded_sorted_and_says_where_it_is_from():
    text = content(LIST).read_text(encoding="utf-8")
    words = [line for line in text.splitlines() if not line.startswith("#")]
    assert words == sorted(set(words))
    assert words == [folded(word) for word in words]
    assert {"MIT License", "BSD 3-Clause License"} <= {
        name for name in ("MIT License", "BSD 3-Clause License") if name in text
    }
    assert len(words) > 5_000


def test_every_long_password_of_the_list_is_refused_also_with_other_case_spaces_and_digits_behind():
    long = [word for word in common_passwords() if len(word) >= 15]
    assert len(long) >= 90
    for word in long:
        for spelt in (word, word.upper(), f" {word[:7]} {word[7:]}! "):
            assert refused(spelt), spelt
        if not any(character.isdigit() for character in word):
            assert refused(f"{word}2026"), word


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery staple",
        "PasswordPassword",
        "iloveyouiloveyou1",
        "manchesterunited",
        "Liverpool1234567",
        "123456789monkey",
        "sunshine-sunshine",
    ],
)
def test_what_many_people_use_is_refused(password):
    assert refused(password)


@pytest.mark.parametrize(
    "password",
    [
        "a" * 15,
        "ababababababababab",
        "abc abc abc abc abc",
        "123456789012345",
        "987654321098765",
        "abcdefghijklmnopq",
        "qwertyuiopasdfgh",
        "poiuytrewqlkjhgf",
        "1qaz2wsx3edc4rfv",
        "йцукенгшщзхъйцук",
        "qwerty 12345 zxcvb",
        "🙂" * 20,
    ],
)
def test_repetitions_and_rows_are_refused(password):
    assert refused(password)


@pytest.mark.parametrize(
    "password",
    [
        "rosa rosa rosa rosa",
        "ROSA-2026-rosa-2026",
        "evenhand evenhand",
        "Evenhand Study 2026",
        "a small pilot 12345",
        "rosa, evenhand!!",
        "pilot2pilot2pilot2",
    ],
)
def test_the_own_name_the_studys_and_the_programs_are_refused_also_together_and_with_digits(password):
    assert "easy to guess here" in refused(password)


@pytest.mark.parametrize(
    "password",
    [
        "purple lamp over seven hills",
        "purple monkey dishwasher",  # of common words, and not common as a whole
        "rosa likes to swim at night",
        "kjhdfiuwqheiuzx",
        "314159265358979",  # digits are as good as letters
        "all lower case and no digit",
        "ALL UPPER CASE AND NO DIGIT",
        "x" + "yz w" * 16,
        "пятнадцать букв или больше",
        "十五文字以上の合言葉を選んでください",
        "👩‍👧 and a lion 🦁 in the sun",
        "e\u0301te\u0301 apre\u0300s-midi bleu",
        "!§$%&/()=?`*+#~",
        "tab\tand\u00a0other blanks",
        "".join(chr(0x4E00 + 7 * step) for step in range(1_024)),
    ],
)
def test_any_characters_of_any_kind_are_accepted(password):
    assert refused(password) is None


@pytest.mark.parametrize("length", [15, 64, 65, 256, 1_024])
def test_long_passwords_are_taken_whole_whatever_their_length(length):
    password = "".join(chr(97 + (step * step + step // 7) % 26) for step in range(length))
    assert refused(password) is None
    hasher = Passwords(memory_kib=8, passes=1)
    assert not hasher.matches(f"{password[:-1]}!", hasher.hash(password))


@pytest.mark.parametrize(("length", "word"), [(14, "At least 15"), (1_025, "At most 1,024")])
def test_too_short_and_too_long_are_told_with_the_bound(length, word):
    assert word in refused("".join(chr(0x4E00 + step) for step in range(length)))


def test_characters_are_counted_in_nfc_as_they_are_hashed():
    assert refused("e\u0301" * 3 + "abcdefgh.jk")  # fourteen of them
    assert normal("e\u0301") == "\u00e9"
    hasher = Passwords(memory_kib=8, passes=1)
    assert hasher.matches("ete\u0301 en Provence", hasher.hash("et\u00e9 en Provence"))


def test_different_things_that_look_alike_stay_different_passwords():
    hasher = Passwords(memory_kib=8, passes=1)
    assert not hasher.matches("\ufb01fteen is the least", hasher.hash("fifteen is the least"))


def test_what_stands_for_nobodys_hash_costs_what_any_other_costs_and_fits_no_password():
    hasher = Passwords(memory_kib=64, passes=2)
    real = hasher.hash("fifteen is the least")
    assert extract_parameters(hasher._nobody) == extract_parameters(real)
    assert len(hasher._nobody) == len(real)
    assert not hasher.matches("nobody has this password", None)


def test_no_message_repeats_the_password():
    for password in ("short", "rosa rosa rosa rosa", "PasswordPassword", "qwertyuiopasdfgh", "abc abc abc abc abc"):
        assert password not in fault(password, NAMES, common_passwords())
