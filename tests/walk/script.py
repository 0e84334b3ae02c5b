"""Scripted judges, and an independent count of what they said.

Nothing here imports the domain: the count is a second way to the same numbers.
"""

from collections import Counter
from dataclasses import dataclass

DESTRUCTIVE = ("destructive-content", "destructive-correction", "destructive-structure")
REASON = {
    "destructive-content": "negation",
    "destructive-correction": "reversed",
    "destructive-structure": "joined_fragments",
    "unassessable-disputed": "source_ambiguous",
}


@dataclass(frozen=True)
class Say:
    """A judgement in terms of arms: only the script knows which text is which."""

    label: str
    arm: str | None = None
    also: str | None = None

    def fields(self, page, on_text):
        """Return the form fields of this judgement on a page whose panels show `on_text` somewhere."""
        on_panel = "A" if page.panels["A"] == on_text else "B"
        assert page.panels[on_panel] == on_text
        off_panel = "B" if on_panel == "A" else "A"
        panel = {"on": on_panel, "off": off_panel, "both": "both", None: None}[self.arm]
        reasons = [REASON[key] for key in (self.label, self.also) if key in REASON]
        fields = {"label": self.label, "panel": panel, "also": self.also, "reason": reasons or None}
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def damage(self):
        """Return (class of damage of off, of on)."""
        if self.label not in DESTRUCTIVE:
            return None, None
        off = self.label if self.arm in {"off", "both"} else self.also
        on = self.label if self.arm in {"on", "both"} else self.also
        return off, on

    @property
    def introduces(self):
        off, on = self.damage
        return on is not None and on != off


@dataclass(frozen=True)
class Scene:
    """One item and all that the three people will say of it. `final` None: cannot be settled."""

    stratum: str
    cluster: str
    off: str
    on: str
    one: Say | None = None
    two: Say | None = None
    first: Say | None = None
    final: Say | None = None


def state(scene, *, adjudicator=True):
    if scene.one is None:
        return "auto_coded"
    if scene.one == scene.two:
        return "agreed"
    return "adjudicated" if adjudicator and scene.final is not None else "disputed"


def final(scene, *, adjudicator=True):
    return {"agreed": scene.one, "adjudicated": scene.final}.get(state(scene, adjudicator=adjudicator))


def introduced(scene, *, adjudicator=True):
    said = final(scene, adjudicator=adjudicator)
    both = scene.one is not None and scene.one.introduces and scene.two.introduces
    return both or (said is not None and said.introduces)


def count(scenes, *, adjudicator=True):
    """Return the memo's main numbers, counted by hand as it were."""
    know = {"adjudicator": adjudicator}
    states = Counter(state(scene, **know) for scene in scenes)
    finals = [final(scene, **know) for scene in scenes]
    unassessable = [said is not None and said.label == "unassessable-disputed" for said in finals]
    hits = [introduced(scene, **know) for scene in scenes]
    unresolved = [bad or state(scene, **know) == "disputed" for bad, scene in zip(unassessable, scenes, strict=True)]
    counted = [
        hit or (state(scene, **know) in {"agreed", "adjudicated", "auto_coded"} and not bad)
        for hit, bad, scene in zip(hits, unassessable, scenes, strict=True)
    ]
    people = [scene for scene in scenes if scene.one is not None]
    routed = [scene for scene in people if scene.one != scene.two and adjudicator]
    settles = [
        said
        for said, scene, hit in zip(finals, scenes, hits, strict=True)
        if said is not None and hit == said.introduces
    ]
    return {
        "sample": {
            "imported": len(scenes),
            "auto_coded": states["auto_coded"],
            "agreed": states["agreed"],
            "adjudicated": states["adjudicated"],
            "disputed": states["disputed"],
            "pending": 0,
            "withdrawn": 0,
            "reviewed": len(people),
            "unassessable": sum(unassessable),
        },
        "introduced": (sum(hits), sum(counted)),
        "counting_unresolved": (sum(a or b for a, b in zip(hits, unresolved, strict=True)), len(scenes)),
        "among_changed": (
            sum(hits),
            sum(known and scene.off != scene.on for known, scene in zip(counted, scenes, strict=True)),
        ),
        "by_label": {
            key: {
                "introduced": sum(said.damage[1] == key != said.damage[0] for said in settles),
                "repaired": sum(said.damage[0] == key != said.damage[1] for said in settles),
                "shared": sum(said.damage == (key, key) for said in settles),
            }
            for key in DESTRUCTIVE
        },
        "seen_by_both": sum(
            hit and scene.one.introduces and scene.two.introduces for hit, scene in zip(hits, scenes, strict=True)
        ),
        "type_unsettled": sum(hits) - sum(said.introduces for said in settles),
        "observed": (sum(scene.one.label == scene.two.label for scene in people), len(people)),
        "routing": (sum(scene.one == scene.two for scene in people), len(people)),
        "introduced_2x2": table(people, lambda said: said.introduces),
        "destructive_2x2": table(people, lambda said: said.label in DESTRUCTIVE),
        "routed": len(routed),
        "confirmed": sum(scene.final in (scene.one, scene.two) for scene in routed),
        "unresolved": sum(scene.final is None for scene in routed),
        "stood": (sum(scene.final is not None and scene.final == scene.first for scene in routed), len(routed)),
        "dissent": sum(
            scene.one.introduces and scene.two.introduces and scene.final is not None and not scene.final.introduces
            for scene in routed
        ),
    }


def table(people, marks):
    pairs = Counter((marks(scene.one), marks(scene.two)) for scene in people)
    return [pairs[True, True], pairs[True, False], pairs[False, True], pairs[False, False]]


def rate(found):
    return found["numerator"], found["denominator"]


def read(memo):
    """Return the same numbers from a memo.json."""
    primary, agreed, third = memo["primary"], memo["agreement"], memo["adjudication"]
    labels = dict(primary["by_label"])
    unsettled = labels.pop("type_unsettled")["introduced"]
    sample = {key: value for key, value in memo["sample"].items() if isinstance(value, int)}
    stood = third["first_judgement_stood"]
    return {
        "sample": sample,
        "introduced": rate(primary["introduced"]),
        "counting_unresolved": rate(primary["introduced_counting_unresolved"]),
        "among_changed": rate(primary["introduced_among_changed"]),
        "by_label": labels,
        "seen_by_both": primary["seen_by_both"],
        "type_unsettled": unsettled,
        "observed": rate(agreed["observed"]),
        "routing": rate(agreed["routing"]),
        "introduced_2x2": agreed["introduced"]["counts"],
        "destructive_2x2": agreed["destructive"]["counts"],
        "routed": third["routed"],
        "confirmed": third["confirmed"],
        "unresolved": third["unresolved"],
        "stood": (stood["numerator"] or 0, stood["denominator"] or 0),
        "dissent": third["dissent"],
    }
