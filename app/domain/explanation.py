"""What each key of the protocol means for people: the words of the editor and of the protocol guide.

Every field has an explanation whether this version builds it or not; pages show those that are built.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

# How a value is entered. FIXED cannot be changed, and ROLE is entered with the strata, row by row.
ONE: Final = ("line", "text", "number", "choice", "fact", "fixed")
MANY: Final = ("several", "names", "agreement", "strata", "role")


@dataclass(frozen=True)
class Explanation:
    """One or two sentences, the kind of control, and what each choice means where there are few."""

    text: str
    control: str
    choices: Mapping[str, str] = field(default_factory=dict)


SECTIONS: Final = {
    "study": "What is asked, and of what.",
    "selection": "Which items, and how many of them. This decides most of what the study costs, and what it can show.",
    "references": "What judges know of what was said and meant.",
    "review": "How the two reviewers work.",
    "adjudication": "How the third person works, who settles what the two disagree on.",
    "gate": "What the verdict tolerates. Nothing else in the gate can be softened.",
    "statistics": "How sure the numbers are to be. None of it costs anybody's time.",
    "engine": "What made the texts. A study of real speech names each of these, or says “none”; an invented one "
    "may leave them empty. They are recorded and not interpreted: text, or JSON where it begins with { or [.",
}

_YES_NO: Final = ("true", "false")


def _yes_no(text: str, yes: str, no: str) -> Explanation:
    return Explanation(text, "choice", dict(zip(_YES_NO, (yes, no), strict=True)))


_ENGINE: Final = {
    "repo_commit": "With it somebody else can run the same program.",
    "lockfile_sha256": "It fixes what the program was built from.",
    "python": "Versions differ in small ways, and one of them can change a text.",
    "backend": "The program or library that did the recognising.",
    "model": "Its name and size.",
    "model_sha256": "A name does not say which file it was; this does.",
    "quantization": "How its numbers were rounded, such as int8. It changes what is recognised.",
    "device": "Such as cpu or cuda.",
    "language": "The language that the recogniser was told, or that it was to find out itself.",
    "beam": "1 for a greedy search.",
    "prompt": "The text that the recogniser was given to begin with.",
    "chunk_policy": "Where a piece ends decides what is recognised there.",
    "decoding": "All others, such as the temperature.",
    "filter": "The memo prints it. Of pairs made here it must be what was recorded.",
    "filter_version": "The memo prints it. Of pairs made here it must be what was recorded.",
    "filter_config": 'In words, or as JSON such as {"enabled": true}. Of pairs made here a table must be what was '
    "recorded.",
}

EXPLANATIONS: Final[Mapping[str, Explanation]] = {
    "study.id": Explanation("It cannot change once the study is created.", "fixed"),
    "study.title": Explanation("Name no person in it, and quote nobody: every reader of the memo sees it.", "line"),
    "study.scope": Explanation(
        "Sources of the other kind are refused: kinds are never mixed.",
        "choice",
        {
            "synthetic": "Nobody said them. Every verdict ends in _SYNTHETIC, and the memo says that it proves "
            "nothing about speakers.",
            "corpus": "People said them. The freeze asks for a control stratum, for every fact under Engine, and "
            "for a reference or audio with each item.",
        },
    ),
    "study.question": Explanation("One sentence. Everybody in the study can read it, and the memo prints it.", "text"),
    "study.parent": Explanation(
        "Its id, where this study is a new version of another. Otherwise leave it empty.", "line"
    ),
    "study.registration": Explanation(
        "A number or an address, where the plan was registered before anybody judged. Only with it does the memo "
        "say “preregistered”.",
        "line",
    ),
    "selection.strata": Explanation(
        "Two people judge every item, so one more costs two judgements; the more there are, the smaller the rate "
        "that the study can rule out.",
        "strata",
    ),
    "selection.controls": Explanation(
        "There is nothing to tidy in them, so that a change there is telling. Without one the verdict cannot be "
        "PASS, and a study of real speech cannot be frozen.",
        "role",
    ),
    "selection.extension": Explanation(
        "Blocks and prolongations, for example: heard, and rarely written. Judges see them like all others; no rate "
        "and no agreement counts them but their own. Damage that is confirmed there decides the verdict all the same.",
        "role",
    ),
    "selection.agreement": Explanation(
        "So many must have heard a label for it to hold, in a draw from a corpus. Fewer give more candidates, more "
        "give surer ones.",
        "agreement",
    ),
    "selection.precedence": Explanation(
        "The first of these, one on a line, wins in a draw. A candidate with several labels of which none stands "
        "here is put aside.",
        "names",
    ),
    "selection.cluster_cap": Explanation(
        "What one speaker or episode may give to a draw, over all strata. A cap spreads the sample, which narrows "
        "the intervals, and may leave a stratum short.",
        "number",
    ),
    "selection.cluster_unit": Explanation(
        "Items of one cluster resemble each other, and the intervals allow for it. The memo uses your word.",
        "choice",
        {
            "speaker": "Items of one person belong together.",
            "episode": "Items of one recording or programme belong together; for when the speaker is not known.",
        },
    ),
    "selection.seed": Explanation(
        "Any text, chosen once: the same seed draws the same items. Never take another because of what the first "
        "one drew.",
        "line",
    ),
    "references.shown": Explanation(
        "With less beside the pair, more items cannot be judged. A reference that equals exactly one of the two "
        "texts gives the side away; the check counts such items.",
        "several",
        {"verbatim": "What was said, word for word.", "semantic": "What was meant, in plain written form."},
    ),
    "references.required": _yes_no(
        "What becomes of an item that lacks one.",
        "It stops the freeze.",
        "It is judged without; some such items will be impossible to judge.",
    ),
    "references.verbatim_policy": Explanation(
        "Who wrote down what was said, and by which rules. A study of real speech needs it if its items have such "
        "references.",
        "text",
    ),
    "references.semantic_policy": Explanation(
        "Who wrote down what was meant, and by which rules; never a recogniser. A study of real speech needs it if "
        "its items have such references.",
        "text",
    ),
    "review.reviewers_per_item": Explanation(
        "Neither knows of the other. Agreement and adjudication are defined for two, so this cannot change.", "fixed"
    ),
    "review.comparator": Explanation(
        "The looser it is, the fewer pairs people see, and the less they can find.",
        "choice",
        {
            "exact": "Byte for byte. Every difference is seen, even one of white space.",
            "whitespace": "Runs of white space count as one, and none at the ends. Other differences are all seen.",
            "whitespace-case": "As before, and upper and lower case count as the same. A name that lost its "
            "capital is then not seen.",
        },
    ),
    "review.identical_pairs": Explanation(
        "Pairs that are equal in this sense hold no difference to judge, though both texts may be damaged alike.",
        "choice",
        {
            "auto": "The program codes them “same in both”, counted apart and left out of the agreement "
            "statistics. Less work.",
            "review": "People code them like any other pair. More work; reviewers then also meet pairs in which "
            "nothing was changed.",
        },
    ),
    "review.highlight": _yes_no(
        "Whether pages mark where the two texts differ, in both of them alike.",
        "Quicker, and a small difference is not overlooked.",
        "Judges compare by eye. Slower, and closer to somebody who reads without looking for a difference.",
    ),
    "review.practice": _yes_no(
        "Judges code some items with a known answer, and read why it is the answer.",
        "Each judge spends a few minutes more, and codes the first real items better.",
        "Judges learn on the first items of the study.",
    ),
    "review.practice_pass": Explanation(
        "Who has fewer answers as expected goes through the round again before the first item, as often as it takes. "
        "0.8 is eight of ten; 0 asks for nothing but to go through it once.",
        "number",
    ),
    "review.sentinels": _yes_no(
        "Unannounced, they measure how much damage the reviewers notice. They never count in the outcome.",
        "More items to review, and the memo can say how attentive the reviewing was.",
        "Nothing more to review, and nobody can say what the reviewers would have missed.",
    ),
    "review.repeats": Explanation(
        "A reviewer gets them a second time, late and with the sides swapped, to see whether the same eyes say the "
        "same again. 0.1 is one more review for ten; 0 is none.",
        "number",
    ),
    "review.audit_agreed": Explanation(
        "They do not count, and cost the adjudicator their time: an item in the queue then does not mean that "
        "somebody disagreed. Pairs that count as the same are not among them. 0 is none.",
        "number",
    ),
    "review.blinding_check": Explanation(
        "Judges say which text they think was filtered, one short question each. It measures whether the blinding "
        "held. 0 is none.",
        "number",
    ),
    "adjudication.own_judgement_first": _yes_no(
        "It keeps the third person from being led by the two reviews.",
        "Two steps for each item in the queue: an own judgement, then the two reviews.",
        "One step for each item in the queue, with the two reviews in sight from the start.",
    ),
    "gate.max_unassessable": Explanation(
        "Items that nobody could judge. It never covers one on which somebody recorded introduced damage.", "number"
    ),
    "gate.min_sentinel_detection": Explanation(
        "Where reviewers noticed less, the verdict is INCONCLUSIVE. It needs sentinels; empty sets no limit.", "number"
    ),
    "statistics.confidence": Explanation(
        "As a share: 0.95 is 95%. A higher one needs more items to rule out the same rate.", "number"
    ),
    "statistics.resamples": Explanation(
        "A second opinion on intervals, which draws clusters anew so many times. It costs computing alone.", "number"
    ),
    "statistics.seed": Explanation(
        "The number that it begins with, so that anybody gets the same digits again.", "number"
    ),
    "statistics.min_cell": Explanation(
        "Smaller counts are left out of the memo, so that they point at nobody; 0 leaves nothing out. What the verdict "
        "rests on is always shown.",
        "number",
    ),
    **{f"engine.{key}": Explanation(text, "fact") for key, text in _ENGINE.items()},
    "engine.off_equals_raw": _yes_no(
        "It shows that the filter was off, and that nothing else stood between.",
        "Items on which it is not so are counted, and must be acknowledged.",
        "The filter changes texts even when it is off, or something else does; nothing is counted.",
    ),
}
