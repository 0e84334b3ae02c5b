"""The protocol as the controls of a form, and back. What a control leaves as it was keeps its value to the byte."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from app.domain.errors import InvalidInput, Problem
from app.domain.plan import FLUENT, Plan
from app.domain.protocol import FIELDS, Field, Protocol, items_planned, parse
from app.formats.values import DECODER, faults
from app.web.forms import Form, one

MOST_ROWS: Final = 200  # a form has 1,000 controls at most
EMPTY_ROWS: Final = 4
STRATA: Final = "selection.strata"
ROLES: Final = {"": "", "control": "selection.controls", "extension": "selection.extension"}
APART: Final = ("strata", "role", "fixed")  # entered by rows, or not at all
AGREEMENT: Final = ("k", "n")
OWN: Final = ("csrf", "former", "to", "pace")
_ROW: Final = re.compile(r"row\.(\d{1,4})\.(name|number|role)")
_NUMBER: Final = re.compile(r"[+-]?\d{1,15}|[+-]?\d{0,15}\.\d{1,15}", re.ASCII)
_FIELDS: Final = {field.name: field for field in FIELDS}


@dataclass(frozen=True)
class Row:
    """One row of the strata as entered, with its place in the form."""

    place: int
    name: str
    number: str
    role: str

    @property
    def empty(self) -> bool:
        """Whether it was left out: a role alone says nothing."""
        return not (self.name or self.number)


def controls(rules: Protocol) -> Form:
    """Return what the controls of a form show of a protocol."""
    found: Form = {}
    for field in _FIELDS.values():
        if field.explanation.control not in APART:
            found |= _shown(field, rules[field.name])
    for place, (name, number) in enumerate(rules.strata.items()):
        role = next((role for role, key in ROLES.items() if key and name in rules[key]), "")
        found |= {f"row.{place}.name": [name], f"row.{place}.number": [str(number)], f"row.{place}.role": [role]}
    return found


def with_plan(form: Form, plan: Plan) -> Form:
    """Return a form with a plan's strata in place of its own."""
    kept = {name: values for name, values in form.items() if not name.startswith("row.")}
    for place, (name, number) in enumerate(plan.strata.items()):
        role = "control" if name == FLUENT else ""
        kept |= {f"row.{place}.name": [name], f"row.{place}.number": [str(number)], f"row.{place}.role": [role]}
    return kept


def rows(form: Form) -> list[Row]:
    """Return the rows of the strata, in the form's order."""
    places = sorted({int(found[1]) for name in form if (found := _ROW.fullmatch(name))})
    return [Row(n, *(one(form, f"row.{n}.{part}").strip() for part in ("name", "number", "role"))) for n in places]


def rows_to_fill(form: Form) -> list[Row]:
    """Return the rows of a page: those that are filled in, and some empty ones."""
    filled = [row for row in rows(form) if not row.empty]
    after = max((row.place for row in filled), default=-1) + 1
    return filled + [Row(after + more, "", "", "") for more in range(EMPTY_ROWS)]


def absent(form: Form) -> list[str]:
    """Return the names of fields whose controls a page always sends and this form lacks: it is half a form.

    Of boxes and choices none need be ticked, and then a browser sends nothing.
    """
    sent = [field for field in _FIELDS.values() if field.explanation.control not in (*APART, "several", "choice")]
    missing = [field.name for field in sent if any(name not in form for name in _controls(field))]
    return missing if rows(form) else [STRATA, *missing]


def read(form: Form, stored: Protocol) -> Protocol:
    """Return the protocol that a form makes of the stored one. Raises InvalidInput with every faulty control."""
    problems = _unknown(form)
    given: dict[str, Any] = {}
    for field in _FIELDS.values():
        if field.explanation.control not in APART:
            value, wrong = _entered(field, form, stored)
            problems += wrong
            given[field.name] = field.default if wrong else value
    planned, wrong = _strata(form) if rows(form) else (_planned(stored), [])
    problems += wrong
    given |= planned
    try:
        rules = parse(_nested(stored, given))
    except InvalidInput as error:
        problems += error.problems
    if problems:
        raise InvalidInput(problems)
    return rules


def differing(form: Form, stored: Protocol) -> set[str]:
    """Return the names of fields of which a form says something else than what is stored."""
    now = controls(stored)
    entered = [field for field in _FIELDS.values() if field.explanation.control not in APART]
    found = {field.name for field in entered if any(_texts(form, n) != _texts(now, n) for n in _controls(field))}
    return found | ({STRATA} if _said(form) != _said(now) else set())


def _said(form: Form) -> set[tuple[str, str, str]]:
    return {(row.name, row.number, row.role) for row in rows(form) if not row.empty}


def _shown(field: Field, value: Any) -> Form:
    match field.explanation.control:
        case "several":
            return {field.name: list(value)}
        case "agreement":
            return {f"{field.name}.{key}": [str(value[key])] for key in AGREEMENT}
        case _:
            return {field.name: [text_of(value)]}


def text_of(value: Any) -> str:
    """Return a value as a control shows it: names one on a line, facts that are no text as JSON."""
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(each, str) and "\n" not in each for each in value):
        return "\n".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _texts(form: Form, name: str) -> list[str]:
    """Return what a control holds, empty lines aside; browsers send line breaks as two characters."""
    return [value.replace("\r\n", "\n") for value in form.get(name, []) if value]


def _entered(field: Field, form: Form, stored: Protocol) -> tuple[Any, list[Problem]]:
    """Return the value of a field as entered, or what is wrong with it."""
    now, names = stored[field.name], _controls(field)
    there = any(name in form for name in names) or field.explanation.control == "several"  # none ticked sends nothing
    if not there or all(_texts(form, name) == _texts(_shown(field, now), name) for name in names):
        return now, []
    if field.explanation.control == "several":
        return _texts(form, field.name), []
    parts = [one(form, name).replace("\r\n", "\n").strip() for name in names]
    if not any(parts):
        return field.default, []
    return _fact(field.name, parts[0]) if field.explanation.control == "fact" else (_value(field, parts), [])


def _value(field: Field, parts: Sequence[str]) -> Any:
    text = parts[0]
    match field.explanation.control:
        case "agreement":
            return dict(zip(AGREEMENT, map(_number, parts), strict=True))
        case "number":
            return _number(text)
        case "choice":
            return {"true": True, "false": False}.get(text, text)
        case "names":
            return [line.strip() for line in text.split("\n") if line.strip()]
    return text


def _number(text: str) -> Any:
    """Return the number that a text is, or else the text: the field's own check says what it should be."""
    plain = text.replace(",", ".") if text.count(",") == 1 else text
    if not _NUMBER.fullmatch(plain):
        return text
    return float(plain) if "." in plain else int(plain)


def _fact(name: str, text: str) -> tuple[Any, list[Problem]]:
    """Return a fact: JSON where it begins like a table or a list, else text. A commit is no number."""
    if text[0] not in "{[":
        return text, []
    try:
        value = DECODER.decode(text)
    except (json.JSONDecodeError, RecursionError):
        told = "it begins like JSON, and is not: check brackets, commas and double quotation marks"
        return None, [Problem(told, field=name)]
    return value, [Problem(message, field=name) for _, message in islice(faults({"fact": value}), 1)]


def _strata(form: Form) -> tuple[dict[str, Any], list[Problem]]:
    """Return strata, controls and extension as entered, or what is wrong with a row."""
    filled = [row for row in rows(form) if not row.empty]
    problems, seen = [], set[str]()
    for row in filled:
        told = _wrong(row, seen)
        problems += [Problem(message, field=f"row.{row.place}.{part}") for part, message in told.items()]
        seen.add(row.name)
    if problems:
        return {STRATA: None, "selection.controls": [], "selection.extension": []}, problems
    named = {key: [row.name for row in filled if ROLES[row.role] == key] for key in ROLES.values() if key}
    return {STRATA: {row.name: _number(row.number) for row in filled} or None} | named, []


def _wrong(row: Row, seen: set[str]) -> dict[str, str]:
    found = {}
    if not row.name:
        found["name"] = "name the stratum, or empty its number to take it out"
    elif row.name in seen:
        found["name"] = "this stratum stands twice"
    if (expected := items_planned(_number(row.number))) is not None:
        found["number"] = f"expected {expected}"
    if row.role not in ROLES:
        found["role"] = "expected one of the choices"
    return found


def _planned(stored: Protocol) -> dict[str, Any]:
    return {name: stored[name] for name in (STRATA, "selection.controls", "selection.extension")}


def _nested(stored: Protocol, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the stored protocol as plain data with some of its values set; None leaves a key out."""
    data = stored.as_data()
    for name, value in given.items():
        section, key = name.split(".")
        data[section].pop(key, None)
        if value is not None:
            data[section][key] = value
    return data


def _unknown(form: Form) -> list[Problem]:
    known = {name for field in _FIELDS.values() for name in _controls(field)}
    told = "the page has no such control"
    return [
        Problem(told, field=name[:80])
        for name in form
        if name not in known and name not in OWN and not _ROW.fullmatch(name)
    ]


def _controls(field: Field) -> Sequence[str]:
    if field.explanation.control == "agreement":
        return [f"{field.name}.{key}" for key in AGREEMENT]
    return [field.name]
