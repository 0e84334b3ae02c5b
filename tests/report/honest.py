"""Honest memos of made-up studies, each beside what is private in its store: who refuses one is wrong."""

import hashlib
import json
import random
from pathlib import Path

from app.domain import codebook
from app.domain.judgement import Coding
from app.domain.memo import Conduct, Deviation, RightsEntry, Seats
from app.domain.outcome import Adjudication, JudgedItem
from app.domain.privacy import Private

DEMO = Path(__file__).parents[2] / "app" / "content" / "demo"
SPOKEN = [
    text
    for line in (DEMO / "items.jsonl").read_text(encoding="utf-8").splitlines()
    for key, text in json.loads(line).items()
    if key in {"raw_hypothesis", "off", "on", "verbatim_reference", "semantic_reference"}
]
WHO = [
    "we",
    "you",
    "they",
    "people",
    "speakers",
    "listeners",
    "students",
    "patients",
    "callers",
    "teachers",
    "children",
    "friends",
]
DID = [
    "say",
    "mean",
    "ask",
    "want",
    "need",
    "tell",
    "hear",
    "write",
    "read",
    "repeat",
    "change",
    "keep",
    "lose",
    "drop",
    "call",
    "begin",
    "finish",
    "remember",
]
WHAT = [
    "words",
    "names",
    "numbers",
    "questions",
    "answers",
    "meetings",
    "letters",
    "dates",
    "orders",
    "sentences",
    "stories",
    "messages",
    "plans",
]
WHEN = ["every day", "on Monday", "at the end of the week", "in the morning", "when they are tired", "at the clinic"]
ASKED = [
    "Does the filter keep what {who} {did} about {what}?",
    "Is anything lost when {who} {did} {what} {when}?",
    "What happens to {what} that {who} {did} {when}?",
    "If {who} {did} {what}, do the {what2} stay the same with the filter on?",
    "Do {who} still {did} what they {did2} once the filter is on?",
]
TITLES = [
    "{what} {when}",
    "What {who} {did}",
    "A small study of {what} and {what2}",
    "{who} and their {what}, part two",
]
HAPPENED = [
    "One of us was ill {when}, so the last {what} were judged a week later.",
    "The person who was to {did} the {what} left; somebody else took over.",
    "We began a day late and had to {did} all {what} again.",
    "Two of the {what} were read by everybody {when}, which was not planned.",
]
NOTED = [
    "I think the {what} are gone here",
    "could be that {who} {did} the {what}, not sure",
    "the other one sounds more like what they {did}",
    "is this what they mean by {what}? I would {did} it",
    "not certain at all",
    "same as before",
]
NAMES = ["mark", "will", "rosa", "may", "grace", "art", "hope", "bill", "lee", "sue", "jack.b", "reviewer1", "the lead"]
CLUSTERS = ["ep-{n:02}", "speaker {n}", "S{n}", "{n}", "show 7/{n}", "talk_{n}", "P{n:03}"]
IDS = ["D-{n:03}", "{n}", "item-{n}", "utt_{n:05}", "show7.ep{n}", "R{n}"]
STRATA = [
    "fluent",
    "sound_repetition",
    "word_repetition",
    "interjection",
    "self_correction",
    "phone calls",
    "long_answers",
]
LICENCES = ["CC BY 4.0", "CC-BY-NC-3.0", "by agreement of 2026-03-01", "none: invented for this study", "Apache-2.0"]


def filled(rng, forms):
    words = {"who": WHO, "did": DID, "did2": DID, "what": WHAT, "what2": WHAT, "when": WHEN}
    return rng.choice(forms).format(**{key: rng.choice(choices) for key, choices in words.items()})


def coding(rng):
    label = rng.choice(codebook.LABELS)
    arm = rng.choice(["on", "off"]) if label.key.startswith(("destructive", "safe")) else None
    severity = rng.choice([None, *(each.key for each in codebook.SEVERITIES)])
    groups = (rng.choice(codebook.GROUPS).key,) if rng.random() < 0.5 else ()
    return Coding(label.key, arm, reasons=(), groups=groups, severity=severity)


def judged(rng, strata):
    """Make an item that two people judged, and where they differ a third."""
    one, stratum = coding(rng), rng.choice(strata)
    two = one if rng.random() < 0.8 else coding(rng)
    final = coding(rng)
    return JudgedItem(
        stratum,
        f"c{rng.randrange(9)}",
        stratum == "fluent",
        changed=rng.random() < 0.7,
        first_signed=(one, two),
        signed=(one, two),
        recorded=(one, two),
        adjudication=None if one == two else Adjudication(final, "keep", final),
    )


def parts(seed, spoken=SPOKEN):
    """Return a made-up study's judged items, the memo's own parts, and what is private of it."""
    rng = random.Random(seed)  # noqa: S311 - a study that repeats
    strata = rng.sample(STRATA, rng.randint(2, 5))
    n = rng.randint(8, 60)
    own = {
        "conduct": Conduct(
            frozen_at="2026-11-02T08:30:00Z",
            closed_at="2026-11-30T16:00:00Z",
            judges={role: Seats(judges=rng.randint(1, 4), attested=1, left=0) for role in ("reviewer", "adjudicator")},
            comparator="exact",
            identical_pairs="auto",
            references_shown=["semantic"],
            own_judgement_first=True,
            max_unassessable=0,
            min_cell=rng.choice([0, 5]),
        ),
        "rights": [
            RightsEntry(
                source=rng.choice(["talks", "our own", "shows 2026"]),
                kind="corpus",
                version=str(rng.randint(1, 9)),
                licence=rng.choice(LICENCES),
                decision="approved",
            )
        ],
        "deviations": [
            Deviation(at="2026-11-12T09:00:00Z", text=filled(rng, HAPPENED)) for _ in range(rng.randrange(4))
        ],
        "software": {"evenhand": "0.3.0", "filter": "yazses", "filter_version": f"2.{rng.randint(1, 60)}.0"},
    }
    study = {"id": f"study-{seed}", "title": filled(rng, TITLES), "question": filled(rng, ASKED)}
    texts = rng.sample(spoken, min(len(spoken), n * 4)) + [filled(rng, NOTED) for _ in range(n)]
    private = Private.of(
        texts=texts,
        ids=[rng.choice(IDS).format(n=k) for k in range(n)] + [rng.choice(CLUSTERS).format(n=k) for k in range(9)],
        names=rng.sample(NAMES, 4),
        digests=[hashlib.sha256(text.encode()).hexdigest() for text in texts],
    )
    return [judged(rng, strata) for _ in range(n)], study, own, private
