"""The codebook as data: labels, reasons, groups, severities. Pages loop over it.

Order of `LABELS` is the order on pages and in tables. Order of `GRAVITY` is the
order of rule 2 of the codebook: the gravest damage first.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

VERSION: Final = "1"

PANELS: Final = ("A", "B", "both")


@dataclass(frozen=True)
class Choice:
    """A key with its title: a reason code, a group tag, a severity."""

    key: str
    title: str


@dataclass(frozen=True)
class Label:
    """One answer to the question a pair poses.

    `panels`: which panels the answer may name (empty: it names none).
    `reasons`: its reason codes; where there are any, at least one is required.
    """

    key: str
    title: str
    detail: str
    group: str
    panels: tuple[str, ...] = ()
    reasons: tuple[Choice, ...] = ()

    @property
    def destructive(self) -> bool:
        """Whether the label says that a meaning was changed."""
        return self.group == "changed"

    def reason_keys(self) -> tuple[str, ...]:
        """Return the keys of the label's own reasons."""
        return tuple(reason.key for reason in self.reasons)


LABELS: Final = (
    Label(
        "destructive-content",
        "Meaning changed: words",
        "A content word, negation, hedge, quantity, name, command or limiting word was dropped, "
        "replaced or added without support in the audio or reference, where there is one.",
        "changed",
        PANELS,
        (
            Choice("content_word", "Content word"),
            Choice("negation", "Negation"),
            Choice("hedge", "Hedge (“maybe”, “I think”)"),
            Choice("quantity", "Quantity"),
            Choice("name", "Name"),
            Choice("code_token", "Command, file or code"),
            Choice("qualifier", "Limiting word"),
            Choice("unsupported_insertion", "Something added"),
        ),
    ),
    Label(
        "destructive-correction",
        "Meaning changed: self-correction",
        "A self-correction was reversed, the rejected words stand as the answer, or the corrected words are gone.",
        "changed",
        PANELS,
        (
            Choice("reversed", "Reversed"),
            Choice("rejected_text_kept", "Rejected words kept"),
            Choice("corrected_text_lost", "Corrected words lost"),
        ),
    ),
    Label(
        "destructive-structure",
        "Meaning changed: sentence structure",
        "Orphan punctuation, glued fragments, or structure that the source does not support.",
        "changed",
        PANELS,
        (
            Choice("orphan_punctuation", "Orphan punctuation"),
            Choice("joined_fragments", "Fragments glued together"),
            Choice("synthetic_structure", "Structure nobody said"),
        ),
    ),
    Label(
        "safe-cleanup",
        "Disfluency gone from one, meaning intact",
        "One text lost a disfluency that the other still has, and nothing else of weight differs.",
        "intact",
        ("A", "B"),
    ),
    Label(
        "benign-retention",
        "Disfluency still in both, meaning intact",
        "The texts differ, both still have the disfluency, and both mean the same.",
        "intact",
    ),
    Label(
        "no-material-edit",
        "Same in both, as far as it matters",
        "The texts are equal, or differ in nothing that matters.",
        "intact",
    ),
    Label(
        "unassessable-disputed",
        "Cannot be judged from what is here",
        "The source is ambiguous, a reference is missing, or the segment is cut off. It never counts as safe.",
        "unjudged",
        (),
        (
            Choice("source_ambiguous", "Source is ambiguous"),
            Choice("reference_missing", "Reference is missing"),
            Choice("segment_cut_off", "Segment is cut off"),
        ),
    ),
)

LABEL_GROUPS: Final = (
    Choice("changed", "The meaning changed"),
    Choice("intact", "The meaning is intact"),
    Choice("unjudged", "Cannot be judged"),
)

GRAVITY: Final = ("destructive-content", "destructive-correction", "destructive-structure")

GROUPS: Final = (
    Choice("sound_repetition", "Sound repetition"),
    Choice("word_repetition", "Word repetition"),
    Choice("prolongation", "Prolongation"),
    Choice("block", "Block"),
    Choice("interjection", "Interjection"),
    Choice("self_correction", "Self-correction"),
    Choice("fluent", "Fluent"),
)

SEVERITIES: Final = (
    Choice("cosmetic", "Cosmetic"),
    Choice("content_bearing", "Bears on content"),
    Choice("clinical", "Clinical"),
    Choice("legal", "Legal"),
    Choice("financial", "Financial"),
)

UNRESOLVED_REASONS: Final = (
    Choice("source_insufficient", "The source is not enough to tell"),
    Choice("codebook_unclear", "The codebook does not say"),
    Choice("needs_policy", "It needs a decision on policy"),
)

LABEL_KEYS: Final = tuple(label.key for label in LABELS)
_BY_KEY: Final = {label.key: label for label in LABELS}


def label(key: str) -> Label:
    """Return the label with this key.

    >>> label("safe-cleanup").panels
    ('A', 'B')
    """
    return _BY_KEY[key]


def is_destructive(key: str | None) -> bool:
    """Tell whether a label key (or None) says that a meaning was changed.

    >>> is_destructive("destructive-structure"), is_destructive("benign-retention"), is_destructive(None)
    (True, False, False)
    """
    return key in GRAVITY


def less_grave_than(key: str) -> tuple[str, ...]:
    """Return the destructive keys below this one: what `also` may hold.

    >>> less_grave_than("destructive-correction")
    ('destructive-structure',)
    """
    return GRAVITY[GRAVITY.index(key) + 1 :] if key in GRAVITY else ()


def titles() -> dict[str, str]:
    """Return the title of every key of the codebook.

    >>> titles()["negation"]
    'Negation'
    """
    reasons = [reason for each in LABELS for reason in each.reasons]
    choices = (*reasons, *GROUPS, *SEVERITIES, *UNRESOLVED_REASONS)
    return {each.key: each.title for each in LABELS} | {each.key: each.title for each in choices}


def told(key: str, panel: str | None) -> str:
    """Return an answer on one line, with the text that it names.

    >>> told("safe-cleanup", "A"), told("destructive-content", "both")
    ('Disfluency gone from A, meaning intact', 'Meaning changed: words, in both')
    """
    title = _BY_KEY[key].title
    if panel is None:
        return title
    return f"{title}, in {panel}" if is_destructive(key) else title.replace(" from one,", f" from {panel},")


def as_data() -> dict[str, Any]:
    """Return the whole codebook as plain data, for the manifest and the frozen copy."""
    return {
        "version": VERSION,
        "labels": [asdict(each) for each in LABELS],
        "groups": [asdict(each) for each in GROUPS],
        "severities": [asdict(each) for each in SEVERITIES],
        "unresolved_reasons": [asdict(each) for each in UNRESOLVED_REASONS],
    }
