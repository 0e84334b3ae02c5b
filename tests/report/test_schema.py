"""The published schema is what the models say, and every memo.json is valid under it."""

import json

import pytest
from jsonschema import Draft202012Validator, ValidationError

from app.report import bundle
from scripts import make_memo_schema as script

SCHEMA = json.loads(script.COPIES[0].read_bytes())


def validate(data):
    Draft202012Validator(SCHEMA).validate(data)


def data_of(memo):
    return json.loads(bundle.bundle(memo)["memo.json"])


def test_the_committed_copies_are_what_the_models_say(capsys):
    assert script.main(["--check"]) == 0, capsys.readouterr().err


def test_check_names_a_copy_that_differs_and_writes_nothing(monkeypatch, tmp_path, capsys):
    copy = tmp_path / "memo.schema.json"
    copy.write_text("{}")
    monkeypatch.setattr(script, "COPIES", (copy,))
    assert script.main(["--check"]) == 1
    assert "memo.schema.json is not what the models say" in capsys.readouterr().err
    assert copy.read_text() == "{}"


def test_without_check_a_copy_is_written(monkeypatch, tmp_path):
    monkeypatch.setattr(script, "COPIES", (tmp_path / "memo.schema.json",))
    assert script.main([]) == 0
    assert (tmp_path / "memo.schema.json").read_bytes() == script.schema_bytes()


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("status", ["PASS", "FAIL", "INCONCLUSIVE", "BLOCKED"])
def test_every_memo_is_valid(memos, status):
    validate(data_of(memos[status]))


@pytest.mark.parametrize("place", [[], ["study"], ["primary", "introduced"], ["sample", "clusters"]])
def test_a_key_that_the_schema_does_not_know_is_invalid_anywhere(memo, place):
    data = data_of(memo)
    inner = data
    for key in place:
        inner = inner[key]
    inner["item_ids"] = ["D-001"]
    with pytest.raises(ValidationError):
        validate(data)


@pytest.mark.parametrize("key", ["schema", "study", "audit_head"])
def test_a_memo_without_one_of_its_keys_is_invalid(memo, key):
    data = data_of(memo)
    del data[key]
    with pytest.raises(ValidationError):
        validate(data)
