import pytest

from app.domain import codebook

PANELS = {
    "destructive-content": ("A", "B", "both"),
    "destructive-correction": ("A", "B", "both"),
    "destructive-structure": ("A", "B", "both"),
    "safe-cleanup": ("A", "B"),
    "benign-retention": (),
    "no-material-edit": (),
    "unassessable-disputed": (),
}
REASONS = {
    "destructive-content": "content_word negation hedge quantity name code_token qualifier unsupported_insertion",
    "destructive-correction": "reversed rejected_text_kept corrected_text_lost",
    "destructive-structure": "orphan_punctuation joined_fragments synthetic_structure",
    "unassessable-disputed": "source_ambiguous reference_missing segment_cut_off",
}


def test_there_are_the_seven_labels_in_their_order():
    assert list(codebook.LABEL_KEYS) == list(PANELS)


@pytest.mark.parametrize("key", PANELS)
def test_a_label_names_the_panels_and_reasons_of_the_codebook(key):
    assert codebook.label(key).panels == PANELS[key]
    assert codebook.label(key).reason_keys() == tuple(REASONS.get(key, "").split())


def test_three_labels_are_destructive_and_no_other_value_is():
    destructive = ["destructive-content", "destructive-correction", "destructive-structure"]
    assert [key for key in (*PANELS, None, "") if codebook.is_destructive(key)] == destructive
    assert [key for key in PANELS if codebook.label(key).destructive] == destructive


@pytest.mark.parametrize(
    ("key", "below"),
    [
        ("destructive-content", ("destructive-correction", "destructive-structure")),
        ("destructive-correction", ("destructive-structure",)),
        ("destructive-structure", ()),
        ("safe-cleanup", ()),
        ("unassessable-disputed", ()),
    ],
)
def test_words_are_graver_than_self_correction_and_that_than_structure(key, below):
    assert codebook.less_grave_than(key) == below


@pytest.mark.parametrize(
    ("choices", "keys"),
    [
        (
            codebook.GROUPS,
            "sound_repetition word_repetition prolongation block interjection self_correction fluent",
        ),
        (codebook.SEVERITIES, "cosmetic content_bearing clinical legal financial"),
        (codebook.UNRESOLVED_REASONS, "source_insufficient codebook_unclear needs_policy"),
    ],
)
def test_groups_severities_and_reasons_for_not_settling_are_those_declared(choices, keys):
    assert [choice.key for choice in choices] == keys.split()


def test_no_code_stands_for_two_things():
    codes = [reason.key for label in codebook.LABELS for reason in label.reasons]
    assert len(codes) == len(set(codes))


def test_the_codebook_as_data_has_its_version_and_every_key():
    data = codebook.as_data()
    assert data["version"] == codebook.VERSION
    assert [(label["key"], tuple(label["panels"])) for label in data["labels"]] == list(PANELS.items())
    assert all(data[part] for part in ("groups", "severities", "unresolved_reasons"))
