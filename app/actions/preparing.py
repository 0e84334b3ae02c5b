"""Everything before the freeze: create, rights, import, assign, check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from app.actions import recordings
from app.actions.privacy import private_in, private_in_filter, unfindable
from app.config import DEMO_MARK
from app.domain import item as items_of
from app.domain import manifest, protocol, readiness, rights
from app.domain.account import called
from app.domain.custody import by_strangers, unseatable
from app.domain.entered import entered_if_any
from app.domain.errors import MOST_PROBLEMS, InvalidInput, Problem, Refused
from app.domain.item import Item
from app.domain.mapping import ItemColumns
from app.domain.pairing import Filter, Origin, origin
from app.domain.recording import Given
from app.domain.stage import NextAction, next_action
from app.formats.items import read_items
from app.formats.table import read_table
from app.formats.toml import read_toml
from app.store import accounts, audit, custody, ledger, pairings, studies
from app.store.db import Connection, Row, Store
from app.store.progress import Progress, progress
from app.store.recordings import recorded
from app.world import World

STALE: Final = "stale"  # what a form would replace is not what it was filled in on
NONE_GIVEN: Final = Given(frozenset(), dict[str, bytes]().__getitem__)


def draft_of(connection: Connection, study_id: str) -> Row[Any]:
    """Return a study's row while it may still be prepared. Raises NotFound, Refused."""
    row = studies.get(connection, study_id)
    if row.frozen_at is not None:
        message = f"“{study_id}” is frozen. A new version is a new study that names its parent."
        raise Refused("frozen", message)
    return row


def create(store: Store, world: World, actor: str, data: bytes, name: str, *, lead: str | None = None) -> str:
    """Create a study from a protocol file and return its id. `lead`: the account that leads it from the start.

    Raises InvalidInput, Refused.
    """
    rules, fixed = _protocol(data, name)
    _refuse_real_speech(store, rules)
    with store.write() as connection:
        if any(row.id == rules.id for row in studies.listing(connection)):
            message = f"There is a study “{rules.id}” already. A new version is a new study with an id of its own."
            raise Refused("taken", message)
        studies.add(connection, id=rules.id, created_at=world.stamp(), **fixed)
        audit.record(connection, world, actor, "study.created", rules.id, protocol_sha256=fixed["protocol_sha256"])
        if lead is not None:
            # Open to the session that asked for it: in a study that was not there nobody's role has changed.
            _seat(connection, world, actor, rules.id, [("lead", lead)], attested=None)
    return rules.id


def set_protocol(
    store: Store, world: World, actor: str, study_id: str, data: bytes, name: str, *, former: str | None = None
) -> None:
    """Store a draft's protocol in place of the former.

    `former`: the digest of the protocol that shall be replaced; any, without it. Raises InvalidInput, NotFound,
    Refused, which is `stale` where another one is stored by now.
    """
    rules, fixed = _protocol(data, name)
    _refuse_real_speech(store, rules)
    with store.write() as connection:
        row = draft_of(connection, study_id)
        if former not in {None, row.protocol_sha256}:
            message = "The protocol was changed elsewhere since this page was opened, so nothing was saved."
            raise Refused(STALE, message)
        if rules.id != study_id:
            told = "this file is of another study; its id cannot change"
            raise InvalidInput.of(told, field="study.id", where=name)
        studies.change(connection, study_id, **fixed)
        audit.record(connection, world, actor, "protocol.set", study_id, protocol_sha256=fixed["protocol_sha256"])


def _refuse_real_speech(store: Store, rules: protocol.Protocol) -> None:
    """Keep speech of real people out of a demo's store, where everybody knows the passwords."""
    if rules["study.scope"] == "corpus" and (store.folder / DEMO_MARK).exists():
        message = "This is the store of the demo, and its passwords are no secret. Give real speech a store of its own."
        raise Refused("demo_store", message)


def _protocol(data: bytes, name: str) -> tuple[protocol.Protocol, dict[str, str]]:
    """Return a protocol file's rules, and what of them is stored with the study."""
    rules = protocol.parse(read_toml(data, name), name)
    if problems := protocol.unreadable(rules, name):
        raise InvalidInput(problems)
    content = manifest.canonical(rules.as_data())
    fixed = {"title": rules.title, "protocol": content.decode(), "protocol_sha256": manifest.bytes_digest(content)}
    return rules, fixed


def set_rights(store: Store, world: World, actor: str, study_id: str, data: bytes, name: str) -> int:
    """Store a study's rights ledger in place of the former; return the number of sources.

    Raises InvalidInput, NotFound, Refused.
    """
    sources = rights.parse(read_toml(data, name), name)
    with store.write() as connection:
        draft_of(connection, study_id)
        former = ledger.replace(connection, study_id, sources, at=world.stamp(), actor=actor)
        digest = manifest.digest([source.as_data() for source in sources])
        audit.record(
            connection, world, actor, "rights.set", study_id, sources=len(sources), sha256=digest, former=former
        )
    return len(sources)


@dataclass(frozen=True)
class Imported:
    """What an import took: number of items, how many a replacement removed, and the filter that paired them here.

    `recorded`: how many came with their recordings; `unheard`: how many of the study's name
    one that is not there; `aside`: files that no item asks for.
    """

    items: int
    removed: int
    filter: Filter | None
    recorded: int = 0
    unheard: int = 0
    aside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A file of items as it was read: those that are sound, each with its line, and every problem.

    `digest`: of the file's bytes; `columns`: as they were mapped; `given`: the recordings that came along, and of
    those that the items name what was found in them.
    """

    name: str
    digest: str
    columns: ItemColumns | None
    found: Sequence[tuple[Item, int]]
    problems: Sequence[Problem]
    given: Given
    heard: recordings.Heard


def read_sheet(data: bytes, name: str, columns: ItemColumns | None = None, given: Given = NONE_GIVEN) -> Sheet:
    """Read a file of items, whole or as far as anybody reads problems. Raises InvalidInput for what is no such file."""
    rows = read_items(data, name) if columns is None else read_table(data, name, columns)
    problems = list(rows.problems)
    found: list[tuple[Item, int]] = []
    for row in rows.rows:
        if len(problems) > MOST_PROBLEMS:
            break
        parsed = items_of.parse(row.value, name, row.line)
        if isinstance(parsed, Item):
            found.append((parsed, row.line))
        else:
            problems += _respelt(columns, parsed)
    problems += _respelt(columns, unfindable(found, name))
    heard, unfit = recordings.of_rows(found, name, given)
    problems += _respelt(columns, unfit)
    return Sheet(name, manifest.bytes_digest(data), columns, found, problems, given, heard)


def _respelt(columns: ItemColumns | None, problems: Sequence[Problem]) -> Sequence[Problem]:
    return problems if columns is None else columns.respelt(problems)


def import_items(  # noqa: PLR0913 - a file, what its columns mean, and the files that it names
    store: Store,
    world: World,
    actor: str,
    study_id: str,
    data: bytes,
    name: str,
    *,
    replace: bool = False,
    columns: ItemColumns | None = None,
    given: Given = NONE_GIVEN,
) -> Imported:
    """Add every item of a file to a draft, or report every problem and store nothing.

    `replace`: remove the items of before first. `columns`: what the columns of a table mean, where they are not
    called as items' keys. `given`: files among which are the items' recordings. Raises InvalidInput, NotFound,
    Refused.
    """
    sheet = read_sheet(data, name, columns, given)
    with store.write() as connection:
        return take(connection, world, actor, study_id, sheet, replace=replace)


def take(
    connection: Connection, world: World, actor: str, study_id: str, sheet: Sheet, *, replace: bool = False
) -> Imported:
    """Add every item of a sheet to a draft within a transaction, which ends where there is a problem."""
    found, given = sheet.found, sheet.given
    draft_of(connection, study_id)
    removed = studies.clear_items(connection, study_id) if replace else 0
    known = [item for _, item in studies.items(connection, study_id)]
    problems = [*sheet.problems, *_respelt(sheet.columns, items_of.duplicates(found, sheet.name, known))]
    if problems:
        raise InvalidInput(sorted(problems, key=lambda problem: problem.line or 0))
    # A column map can exchange off and on: what was made here is imported as it is.
    made = pairings.of_file(connection, sheet.digest) if sheet.columns is None else None
    studies.add_items(connection, study_id, [item for item, _ in found], made)
    told = {"items": len(found), "removed": removed, "sha256": sheet.digest, "pairing": made}
    audit.record(connection, world, actor, "items.imported", study_id, **told)
    keys = studies.keys(connection, study_id)
    wanted = [(keys[item.item_id], item.audio) for item, _ in found if item.audio is not None]
    put = recordings.keep(connection, world, actor, study_id, wanted, given, sheet.heard)
    asked = len(wanted) + sum(item.audio is not None for item in known)
    return Imported(
        items=len(found),
        removed=removed,
        filter=pairings.recorded(connection)[made].filter if made else None,
        recorded=put,
        unheard=asked - len(recorded(connection, study_id)),
        aside=tuple(given.aside(frozenset(name for _, name in wanted))),
    )


def assign(
    store: Store,
    world: World,
    actor: str,
    study_id: str,
    roles: Sequence[tuple[str, str]],
    attested: str | None = None,
) -> None:
    """Set a draft's people, given as pairs of role and name, in place of the former.

    Nobody is asked, and so nobody is signed out: a judge's role begins at the freeze, a lead's with their next
    sign-in. `attested`: the judges' qualification, in the lead's words. Raises InvalidInput where
    an account is unknown, has two roles or may not lead, NotFound, Refused.
    """
    with store.write() as connection:
        draft_of(connection, study_id)
        former = _leads(connection, study_id)
        _seat(connection, world, actor, study_id, roles, attested)
        for account_id in _leads(connection, study_id) - former:
            accounts.bar_sessions(connection, study_id, account_id)


def _leads(connection: Connection, study_id: str) -> set[int]:
    return {person.account_id for person in studies.members(connection, study_id) if person.role == "lead"}


def _seat(
    connection: Connection,
    world: World,
    actor: str,
    study_id: str,
    roles: Sequence[tuple[str, str]],
    attested: str | None,
) -> None:
    """Store the people of a study."""
    found = {name: accounts.by_name(connection, name) for _, name in roles}
    unknown = [
        Problem(f"there is no account {called(name)}", field=role) for role, name in roles if found[name] is None
    ]
    if problems := unknown + readiness.seating(roles):
        raise InvalidInput(problems)
    if strange := _strange_leads(connection, actor, study_id, found, roles):
        raise InvalidInput(strange)
    told = entered_if_any(attested, "attest")
    rows = [
        {
            "account_id": found[name].id,  # type: ignore[union-attr]
            "role": role,
            "seat": seat,
            "attested": told if role != "lead" else None,
        }
        for seat, (role, name) in enumerate(roles)
    ]
    studies.replace_members(connection, study_id, rows)
    people = [{"name": name, "role": role} for role, name in roles]
    audit.record(connection, world, actor, "people.assigned", study_id, people=people, attested=told is not None)


def _strange_leads(
    connection: Connection,
    actor: str,
    study_id: str,
    found: Mapping[str, Row[Any] | None],
    roles: Sequence[tuple[str, str]],
) -> list[Problem]:
    """List who may not be made a lead by this actor. On the command line anybody is."""
    if actor == audit.LOCAL:
        return []
    own = accounts.by_name(connection, actor)
    leading = {person.name for person in studies.members(connection, study_id) if person.role == "lead"}
    fresh = [row for role, name in roles if role == "lead" and name not in {*leading, actor} and (row := found[name])]
    given = custody.givers(connection)
    seen = (custody.seen_by(connection, row, own.id if own is not None else None, given) for row in fresh)
    # Not those of other leads here: their seats were given without asking, and would be the way to their judges.
    told = (unseatable(each, {actor, audit.LOCAL}) for each in seen)
    return [Problem(why, field="lead") for why in told if why is not None]


def check(store: Store, study_id: str) -> readiness.Readiness:
    """Report what stands between a draft and its freeze. Raises NotFound, Refused."""
    with store.read() as connection:
        row = draft_of(connection, study_id)
        return assess(connection, row, [item for _, item in studies.items(connection, study_id)])


def assess(connection: Connection, row: Row[Any], items: Sequence[Item]) -> readiness.Readiness:
    """Report on a draft whose items are at hand."""
    people = studies.members(connection, row.id)
    roles = [person.role for person in people]
    rules, entries = studies.protocol_of(row), studies.ledger(connection, row.id)
    made = origin_of(connection, row.id, items)
    judges = [person.name for person in people if person.role != "lead"]
    leads = {person.name for person in people if person.role == "lead"}
    report = readiness.assess(
        rules,
        items,
        entries,
        readiness.People(
            reviewers=roles.count("reviewer"),
            adjudicators=roles.count("adjudicator"),
            leads=roles.count("lead"),
            unattested=sum(person.role != "lead" and not person.attested for person in people),
            disabled=sum(person.disabled for person in people),
            informed=len(custody.informed(connection, row.id).intersection(judges)),
            strangely_made=by_strangers(judges, custody.givers(connection), {*leads, audit.LOCAL}),
        ),
        made,
        recorded(connection, row.id),
    )
    told = private_in(connection, row, readiness.printed(rules, entries))
    if made.filter is not None:
        told += private_in_filter(connection, row, made.filter)
    return replace(report, errors=(*report.errors, *told))


def origin_of(connection: Connection, study_id: str, items: Sequence[Item]) -> Origin:
    """Say where a study's pairs come from. `items`: all of them, in order of import."""
    return origin(items, pairings.marks(connection, study_id), pairings.recorded(connection))


def made_by(connection: Connection, row: Row[Any], items: Sequence[Item]) -> Filter | None:
    """Return the filter that made every pair here: as the freeze fixed it, or of a draft as it stands."""
    if row.frozen_at is not None:
        return pairings.frozen_filter(connection, row.id)
    return origin_of(connection, row.id, items).filter


@dataclass(frozen=True)
class Standing:
    """How far a study is and what is done next; for a draft also the check's report."""

    progress: Progress
    next: NextAction
    report: readiness.Readiness | None


def standing(connection: Connection, row: Row[Any]) -> Standing:
    """Return where a study stands."""
    if row.frozen_at is not None:
        found = progress(connection, row)
        return Standing(found, next_action(found.stage), None)
    report = assess(connection, row, [item for _, item in studies.items(connection, row.id)])
    found = progress(connection, row, ready=not report.errors)
    return Standing(found, next_action(found.stage, report.lacking), report)
