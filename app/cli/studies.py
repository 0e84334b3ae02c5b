"""evenhand study: a study from its protocol to its close."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from app.actions import closing, freezing, importing, prefilling, preparing, recordings, replacing, withdrawing
from app.actions.preparing import Standing
from app.cli.desk import Answer, Desk, read_bytes
from app.domain.mapping import ItemColumns
from app.domain.readiness import Readiness
from app.domain.withdrawal import ERASED, KINDS, REMOVED
from app.store import studies as stored

FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)
MOST_NAMED: Final = 10  # files that are told by name
SHORT: Final = ("freeze", "status", "reopen", "deviation", "withdraw", "close")


@click.group()
def study() -> None:
    """A study from its protocol to its close."""


@study.command()
@click.argument("protocol", type=FILE)
@click.pass_obj
def create(desk: Desk, protocol: Path) -> Answer:
    """Create a study from a protocol file."""
    study_id = preparing.create(desk.store, desk.world, desk.actor, read_bytes(protocol), protocol.name)
    return Answer(f"Created study {study_id}. Next: evenhand study rights {study_id} LEDGER.toml", {"study": study_id})


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.argument("protocol", type=FILE)
@click.pass_obj
def protocol(desk: Desk, study_id: str, protocol: Path) -> Answer:
    """Set a draft's protocol in place of the former."""
    preparing.set_protocol(desk.store, desk.world, desk.actor, study_id, read_bytes(protocol), protocol.name)
    return Answer(f"Stored the protocol. Next: evenhand study check {study_id}", {"study": study_id})


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.argument("ledger", type=FILE)
@click.pass_obj
def rights(desk: Desk, study_id: str, ledger: Path) -> Answer:
    """Set a study's rights ledger."""
    count = preparing.set_rights(desk.store, desk.world, desk.actor, study_id, read_bytes(ledger), ledger.name)
    sources = "1 source" if count == 1 else f"{count} sources"
    told = f"Stored the rights of {sources}. Next: evenhand study import {study_id} ITEMS"
    return Answer(told, {"study": study_id, "sources": count})


@study.command(name="import")
@click.argument("study_id", metavar="STUDY")
@click.argument("items", type=FILE)
@click.option("--replace", is_flag=True, help="Remove the items of before first.")
@click.option("--columns", type=FILE, help="A column map, for a table whose columns are called otherwise.")
@click.option("--encoding", type=click.Choice(["cp1252"]), help="Once you have looked at how the letters read.")
@click.option("--audio", type=FOLDER, metavar="DIR", help="The folder with the recordings that the items name.")
@click.option("--report", type=click.Path(path_type=Path), help="A new CSV file for the problems, if there are any.")
@click.pass_obj
def import_(
    desk: Desk,
    study_id: str,
    items: Path,
    *,
    replace: bool,
    columns: Path | None,
    encoding: str | None,
    audio: Path | None,
    report: Path | None,
) -> Answer:
    """Import items (JSON Lines, a JSON array or CSV): all of them, or none and every problem."""
    content = read_bytes(items)
    mapped: ItemColumns | None = None
    with importing.reported(report):
        if columns is not None or encoding is not None:
            named = None if columns is None else (read_bytes(columns), columns.name)
            mapped = importing.map_of((content, items.name), named, encoding)
        taken = preparing.import_items(
            desk.store,
            desk.world,
            desk.actor,
            study_id,
            content,
            items.name,
            replace=replace,
            columns=mapped,
            given=recordings.folder(audio) if audio else preparing.NONE_GIVEN,
        )
    told = f"Imported {taken.items} items" + (f", paired here with {taken.filter}." if taken.filter else ".")
    told += f" Removed {taken.removed} of before." if taken.removed else ""
    told += f" {taken.recorded} have a recording." if audio else ""
    told += _recordings_left(study_id, taken.unheard, taken.aside)
    data: dict[str, object] = {"study": study_id, "imported": taken.items, "removed": taken.removed}
    data |= {"paired_with": str(taken.filter)} if taken.filter else {}
    if audio or taken.unheard:
        data |= {"recorded": taken.recorded, "missing": taken.unheard, "aside": list(taken.aside)}
    return Answer(told, data)


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.argument("folder", type=FOLDER)
@click.pass_obj
def audio(desk: Desk, study_id: str, folder: Path) -> Answer:
    """Add the recordings that a draft's items name, from a folder."""
    added = recordings.add(desk.store, desk.world, desk.actor, study_id, recordings.folder(folder))
    told = f"Stored the recordings of {added.items} items." + _recordings_left(study_id, added.missing, added.aside)
    data = {"study": study_id, "recorded": added.items, "missing": added.missing, "aside": list(added.aside)}
    return Answer(told, data)


def _recordings_left(study_id: str, missing: int, aside: Sequence[str]) -> str:
    told = ""
    if missing:
        told += f"\n{missing} items name a recording that is not there yet: evenhand study audio {study_id} DIR"
    if aside:
        more = f" and {len(aside) - MOST_NAMED} more" if len(aside) > MOST_NAMED else ""
        told += f"\nWarning: no item names these files, and they were left out: {', '.join(aside[:MOST_NAMED])}{more}"
    return told


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.option("--strata", is_flag=True, help="Plan as many items of each stratum as there are.")
@click.option("--sources", is_flag=True, help="An undecided ledger entry for each source that lacks one.")
@click.option("--practice", is_flag=True, help="Add the packaged practice items, with their ledger entry.")
@click.pass_obj
def prefill(desk: Desk, study_id: str, *, strata: bool, sources: bool, practice: bool) -> Answer:
    """Take over into a draft what its items say, or add the packaged practice items."""
    if not strata and not sources and not practice:
        message = "Give --strata, --sources or --practice, or several."
        raise click.UsageError(message)
    asked = [each for each, wanted in (("strata", strata), ("sources", sources), ("practice", practice)) if wanted]
    done = prefilling.prefill(desk.store, desk.world, desk.actor, study_id, asked)
    data = {"strata": dict(done.strata), "sources": list(done.sources), "practice": done.practice}
    told = {
        "strata": "Planned: " + ", ".join(f"{name} {number}" for name, number in done.strata.items()) + ".",
        "sources": "Entered in the ledger, to be decided on: " + ", ".join(done.sources) + ".",
        "practice": f"{done.practice} practice items added; their source is approved in the ledger.",
    }
    lines = [told[each] if data[each] else prefilling.NOTHING_NEW[each] for each in asked]
    return Answer("\n".join(lines), {"study": study_id} | {each: data[each] for each in asked})


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.option("--reviewer", "reviewers", multiple=True, required=True, help="Twice or more.")
@click.option("--adjudicator", help="Settles disagreements; optional.")
@click.option("--lead", "leads", multiple=True, required=True)
@click.option("--attest", help="The judges' qualification, in your words.")
@click.pass_obj
def assign(
    desk: Desk,
    study_id: str,
    reviewers: tuple[str, ...],
    adjudicator: str | None,
    leads: tuple[str, ...],
    attest: str | None,
) -> Answer:
    """Set a study's people."""
    roles = [("reviewer", name) for name in reviewers] + [("lead", name) for name in leads]
    roles += [("adjudicator", adjudicator)] if adjudicator else []
    preparing.assign(desk.store, desk.world, desk.actor, study_id, roles, attest)
    people = {"reviewers": list(reviewers), "adjudicator": adjudicator, "leads": list(leads)}
    return Answer(
        f"Assigned {len(reviewers)} reviewers. Next: evenhand study check {study_id}", {"study": study_id} | people
    )


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.pass_obj
def check(desk: Desk, study_id: str) -> Answer:
    """Say what stands between a study and its freeze."""
    report = preparing.check(desk.store, study_id)
    return Answer(_report(report), report.as_data(), exit_code=1 if report.errors else 0)


def _report(report: Readiness) -> str:
    parts = {
        "Errors, to be fixed first:": [str(problem) for problem in report.errors],
        "Warnings:": list(report.warnings),
        "To be acknowledged at the freeze:": [f"{a.code}: {a.text} ({a.count})" for a in report.acknowledge],
    }
    lines = [line for head, told in parts.items() if told for line in (head, *(f"  {each}" for each in told))]
    return "\n".join(lines) or "Nothing stands in the way."


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.option("--acknowledge", "codes", multiple=True, metavar="CODE", help="A code that the check lists.")
@click.pass_obj
def freeze(desk: Desk, study_id: str, codes: tuple[str, ...]) -> Answer:
    """Lock everything under one hash, draw sides and orders, open the review."""
    hashed = freezing.freeze(desk.store, desk.world, desk.actor, study_id, codes)
    return Answer(f"Frozen. Manifest SHA-256: {hashed}", {"study": study_id, "manifest_sha256": hashed})


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.pass_obj
def status(desk: Desk, study_id: str) -> Answer:
    """Say how far a study is; no outcome, before or after the close."""
    with desk.store.read() as connection:
        found = preparing.standing(connection, stored.get(connection, study_id))
    return Answer(_progress(found), _progress_data(found))


def _progress(standing: Standing) -> str:
    found = standing.progress
    withdrawn = f" ({found.withdrawn} withdrawn)" if found.withdrawn else ""
    lines = [f"{found.title}: {found.stage}, {found.items} items{withdrawn}"]
    if found.frozen_at is not None:
        signed = {True: ", signed off", False: ""}
        lines += [f"  {each.name}: {each.done} of {each.total}{signed[each.signed]}" for each in found.reviewers]
        if found.adjudicator is not None:
            lines.append(f"  {found.adjudicator}: adjudication {found.adjudication.replace('_', ' ')}")
    return "\n".join([*lines, f"Next: {standing.next.told}"])


def _progress_data(standing: Standing) -> dict[str, object]:
    found = standing.progress
    return {
        "study": found.study_id,
        "title": found.title,
        "stage": found.stage,
        "next": standing.next.told,
        "items": found.items,
        "withdrawn": found.withdrawn,
        "reviewers": [vars(each) for each in found.reviewers],
        "adjudicator": found.adjudicator,
        "adjudication": found.adjudication,
        "frozen_at": found.frozen_at,
        "closed_at": found.closed_at,
    }


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.argument("name")
@click.option("--reason", required=True)
@click.pass_obj
def reopen(desk: Desk, study_id: str, name: str, reason: str) -> Answer:
    """Take a reviewer's sign-off back, until the adjudicator first looks."""
    closing.reopen(desk.store, desk.world, desk.actor, study_id, name, reason)
    return Answer(f"Reopened the set of {name}.", {"study": study_id, "reopened": name})


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.argument("name")
@click.option("--by", help="Who takes over what is not answered yet.")
@click.option("--attest", help="The newcomer's qualification, in your words.")
@click.option("--reason", required=True, help="The memo prints it.")
@click.pass_obj
def replace(desk: Desk, study_id: str, name: str, by: str | None, attest: str | None, reason: str) -> Answer:
    """Let a reviewer leave: what is answered is signed, the rest goes to a newcomer."""
    count = replacing.replace(desk.store, desk.world, desk.actor, study_id, name, by, reason, attest)
    told = f"Signed what {name} has answered." + (f" {by} takes over {count} items." if count else "")
    return Answer(told, {"study": study_id, "left": name, "newcomer": by if count else None, "items": count})


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.argument("text")
@click.pass_obj
def deviation(desk: Desk, study_id: str, text: str) -> Answer:
    """Log a departure from the protocol; the memo prints it."""
    closing.log_deviation(desk.store, desk.world, desk.actor, study_id, text)
    return Answer("Logged.", {"study": study_id, "logged": True})


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.option("--item", metavar="ID", help="One item, by its id.")
@click.option("--cluster", metavar="ID", help="Every item of a speaker or episode.")
@click.option("--source", metavar="NAME", help="Every item of a source, whose rights are revoked with it.")
@click.option("--reason", required=True, help="Stays on record; name nobody in it.")
@click.pass_obj
def withdraw(desk: Desk, /, study_id: str, reason: str, **named: str | None) -> Answer:
    """Withdraw items and erase their content, for good."""
    given = [(kind, value) for kind, value in named.items() if value is not None]
    if len(given) != 1:
        message = "Give exactly one of " + ", ".join(f"--{kind}" for kind in KINDS) + "."
        raise click.UsageError(message)
    ((kind, value),) = given
    done = withdrawing.withdraw(desk.store, desk.world, desk.actor, study_id, kind, value, reason)
    data = {"study": study_id, "withdrawn": done.items, "effect": done.effect, "erased": done.finished}
    return Answer(_withdrawn(done), data | {"copies": list(done.copies), "elsewhere": list(done.elsewhere)})


def _withdrawn(done: withdrawing.Withdrawn) -> str:
    items = "1 item" if done.items == 1 else f"{done.items} items"
    lines = [f"Withdrew {items}."]
    if done.effect == REMOVED:
        lines = [f"Removed {items} from the draft."]
    elif done.effect == ERASED:
        lines = [f"Erased the content of {items}. The counts of the closed study stay as they are."]
    lines.append(
        "The content is erased from the database and its journal."
        if done.finished
        else "It is out of the study. Somebody still reads what was there: the next write or start frees the files."
    )
    lines += [f"An older copy in the store's folder still holds it: {name}" for name in done.copies]
    lines += [f"The study {name} has items of the same name; withdraw them there too." for name in done.elsewhere]
    return "\n".join(lines)


@study.command()
@click.argument("study_id", metavar="STUDY")
@click.option("--reason", help="Needed while a set is unsigned.")
@click.pass_obj
def close(desk: Desk, study_id: str, reason: str | None) -> Answer:
    """End the study and reveal the arms."""
    head = closing.close(desk.store, desk.world, desk.actor, study_id, reason)
    return Answer(f"Closed. Head of the audit chain: {head}", {"study": study_id, "audit_head": head})
