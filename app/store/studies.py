"""A study's own rows: protocol, ledger, items, people, deviations. Nothing here reads a judgement."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal,
    not_,
    select,
    update,
)

from app.domain.blinding import Slot
from app.domain.cost import Group
from app.domain.errors import NotFound
from app.domain.item import STUDY, Item
from app.domain.manifest import canonical, digest
from app.domain.protocol import Protocol, parse
from app.domain.rights import Source
from app.store import recordings
from app.store.tables import account, deviation, draft, item, manifest, member, rights, slot, study


def get(connection: Connection, study_id: str) -> Row[Any]:
    """Return a study's row. Raises NotFound."""
    found = connection.execute(select(study).where(study.c.id == study_id)).first()
    if found is None:
        message = f"There is no study “{study_id}” in this store."
        raise NotFound(message)
    return found


def listing(connection: Connection) -> list[Row[Any]]:
    """Return every study, oldest first."""
    return list(connection.execute(select(study).order_by(study.c.created_at, study.c.id)))


def add(connection: Connection, **values: Any) -> None:
    """Insert a study."""
    connection.execute(insert(study).values(**values))


def change(connection: Connection, study_id: str, **values: Any) -> None:
    """Change columns of a study."""
    connection.execute(update(study).where(study.c.id == study_id).values(**values))


def protocol_of(row: Row[Any]) -> Protocol:
    """Return the protocol of a study's row."""
    return _parsed(row.protocol)


@lru_cache(maxsize=64)  # every page asks, and most studies on a computer have one
def _parsed(protocol: str) -> Protocol:
    return parse(json.loads(protocol))


def keep_manifest(connection: Connection, study_id: str, content: str) -> None:
    """Store the manifest of a study that is being frozen."""
    connection.execute(insert(manifest).values(study_id=study_id, content=content))


def manifest_of(connection: Connection, study_id: str) -> str | None:
    """Return a study's manifest as canonical JSON; None before the freeze."""
    return connection.execute(select(manifest.c.content).where(manifest.c.study_id == study_id)).scalar()


def ledger(connection: Connection, study_id: str) -> list[Source]:
    """Return a study's rights ledger by source."""
    rows = connection.execute(select(rights.c.entry).where(rights.c.study_id == study_id).order_by(rights.c.source))
    return [decode_source(json.loads(row.entry)) for row in rows]


def decode_source(entry: Mapping[str, Any]) -> Source:
    """Return a ledger's entry from its stored form."""
    return Source(**{**entry, "permitted_operations": tuple(entry["permitted_operations"])})


def add_items(connection: Connection, study_id: str, items: Sequence[Item], pairing: int | None = None) -> None:
    """Insert items. `pairing`: the run of the filter that wrote their file."""
    rows = [
        {
            "study_id": study_id,
            "item_id": each.item_id,
            "stratum": each.stratum,
            "cluster": each.cluster,
            "source": each.source,
            "role": each.role,
            "content": canonical(each.as_data()).decode(),
            "changed": each.changed,
            "pairing": pairing,
        }
        for each in items
    ]
    if rows:
        connection.execute(insert(item), rows)


def clear_items(connection: Connection, study_id: str) -> int:
    """Delete a draft's items with their recordings, and return how many items there were."""
    recordings.forget(connection, select(item.c.id).where(item.c.study_id == study_id))
    return connection.execute(delete(item).where(item.c.study_id == study_id)).rowcount


def items(connection: Connection, study_id: str) -> Iterator[tuple[Row[Any], Item]]:
    """Yield each item's row with the item itself, in order of import; what was withdrawn is left out."""
    for row in item_rows(connection, study_id):
        if row.withdrawal is None:
            yield row, decode_item(row.content)


def keys(connection: Connection, study_id: str) -> dict[str, int]:
    """Return the row of each item by the item's id."""
    found = select(item.c.item_id, item.c.id).where(item.c.study_id == study_id, item.c.withdrawal.is_(None))
    return {row.item_id: row.id for row in connection.execute(found)}


def item_rows(connection: Connection, study_id: str) -> Iterator[Row[Any]]:
    """Yield each item's row, in order of import; of those withdrawn, what is left."""
    yield from connection.execute(select(item).where(item.c.study_id == study_id).order_by(item.c.id))


def decode_item(content: str) -> Item:
    """Return an item from its stored form."""
    return Item.of(json.loads(content))


def item_count(connection: Connection, study_id: str) -> tuple[int, int]:
    """Return how many study items a study has, and how many of them were withdrawn."""
    counted = select(func.count(), func.count(item.c.withdrawal)).where(_study_items(study_id))
    imported, withdrawn = connection.execute(counted).one()
    return imported, withdrawn


def auto_coded_count(connection: Connection, study_id: str) -> int:
    """Return how many of a frozen study's pairs no person judges, as they are equal."""
    found = select(func.count()).select_from(item).where(_study_items(study_id), item.c.auto_coded)
    return connection.execute(found).scalar_one()


def roles(connection: Connection, study_id: str) -> dict[str, int]:
    """Return the number of items by role, those withdrawn left out: study, sentinel, practice."""
    there = (item.c.study_id == study_id, item.c.withdrawal.is_(None))
    found = select(item.c.role, func.count().label("items")).where(*there).group_by(item.c.role)
    return {row.role: row.items for row in connection.execute(found)}


def _study_items(study_id: str) -> ColumnElement[bool]:
    return and_(item.c.study_id == study_id, item.c.role == STUDY)


def strata(connection: Connection, study_id: str) -> list[Row[Any]]:
    """Return each stratum with its numbers of `items`, of those `withdrawn`, and of `clusters` that are left."""
    counted = (
        func.count().label("items"),
        func.count(item.c.withdrawal).label("withdrawn"),
        func.count(item.c.cluster.distinct()).label("clusters"),
    )
    found = select(item.c.stratum, *counted).where(_study_items(study_id)).group_by(item.c.stratum)
    return list(connection.execute(found.order_by(item.c.stratum)))


def groups(connection: Connection, study_id: str, *, auto: bool) -> list[Group]:
    """Return how many study items each cluster has in each stratum, and how many of them people see.

    `auto`: equal pairs are coded without people. Until the freeze only the same bytes count as equal.
    """
    coded = func.coalesce(item.c.auto_coded, and_(literal(auto), not_(item.c.changed)))
    counted = (func.count(), func.count().filter(not_(coded)))
    there = (_study_items(study_id), item.c.withdrawal.is_(None))
    found = select(item.c.stratum, item.c.cluster, *counted).where(*there).group_by(item.c.stratum, item.c.cluster)
    return [Group(*row) for row in connection.execute(found.order_by(item.c.stratum, item.c.cluster))]


def sources(connection: Connection, study_id: str) -> list[Row[Any]]:
    """Return each source in use with its number of `items`, and of those `withdrawn`."""
    counted = (func.count().label("items"), func.count(item.c.withdrawal).label("withdrawn"))
    found = select(item.c.source, *counted).where(item.c.study_id == study_id)
    return list(connection.execute(found.group_by(item.c.source).order_by(item.c.source)))


def freeze_items(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Store what the freeze fixes of each item: rows of key, equivalent, auto_coded, salt, digest, unit."""
    fixed: dict[str, Any] = {name: bindparam(name) for name in ("equivalent", "auto_coded", "salt", "digest", "unit")}
    connection.execute(update(item).where(item.c.id == bindparam("key")).values(**fixed), rows)


def add_slots(
    connection: Connection,
    study_id: str,
    slots: Iterable[Slot],
    judges: Sequence[int],
    keys: Sequence[int],
    tokens: Iterator[str],
    *,
    adjudication: bool,
) -> None:
    """Store the drawn sides and orders. `judges` and `keys`: account and item ids by the draw's indices."""
    rows = [
        {
            "token": next(tokens),
            "study_id": study_id,
            "account_id": judges[each.judge],
            "item": keys[each.item],
            "adjudication": adjudication,
            "on_panel": each.on_panel,
            "position": each.position,
            "repeat": each.repeat,
            "rank": each.rank,
        }
        for each in slots
    ]
    if rows:
        connection.execute(insert(slot), rows)


def draw_digest(connection: Connection, study_id: str) -> str:
    """Return the digest of every judge's list as drawn: who sees which item where, on which side."""
    drawn = ("token", "account_id", "item", "adjudication", "on_panel", "position", "repeat", "rank")
    found = select(*(slot.c[name] for name in drawn)).where(slot.c.study_id == study_id).order_by(slot.c.token)
    # Up to version 0.2.0 there were neither repeats nor ranks: a list without them keeps its digest.
    return digest([list(row) if row.repeat or row.rank else list(row)[:-2] for row in connection.execute(found)])


def units_digest(connection: Connection, study_id: str) -> str:
    """Return the digest of which items are of one cluster."""
    found = select(item.c.id, item.c.unit).where(item.c.study_id == study_id).order_by(item.c.id)
    return digest([list(row) for row in connection.execute(found)])


def people_digest(connection: Connection, study_id: str) -> str:
    """Return the digest of who has which role."""
    found = select(member.c.account_id, member.c.role, member.c.seat).where(member.c.study_id == study_id)
    return digest([list(row) for row in connection.execute(found.order_by(member.c.account_id))])


def members(connection: Connection, study_id: str) -> list[Row[Any]]:
    """Return a study's people with their names, by role and order of assignment."""
    found = (
        select(member, account.c.name, account.c.disabled)
        .join(account, account.c.id == member.c.account_id)
        .where(member.c.study_id == study_id)
        .order_by(member.c.role, member.c.seat)
    )
    return list(connection.execute(found))


def role_of(connection: Connection, study_id: str, account_id: int) -> str | None:
    """Return an account's role in a study: reviewer, adjudicator, lead or None."""
    found = select(member.c.role).where(member.c.study_id == study_id, member.c.account_id == account_id)
    role = connection.execute(found).scalar()
    return None if role is None else str(role)


def roles_of(connection: Connection, account_id: int) -> dict[str, str]:
    """Return an account's role by study, in closed ones too: what was seen and answered stays with the account."""
    found = select(member.c.study_id, member.c.role).where(member.c.account_id == account_id)
    return {row.study_id: row.role for row in connection.execute(found)}


def replace_members(connection: Connection, study_id: str, rows: Sequence[dict[str, Any]]) -> None:
    """Store a draft's people in place of the former."""
    connection.execute(delete(member).where(member.c.study_id == study_id))
    if rows:
        connection.execute(insert(member), [row | {"study_id": study_id} for row in rows])


def add_member(connection: Connection, study_id: str, account_id: int, role: str, attested: str | None) -> None:
    """Give an account a role in a study that is under way."""
    last = select(func.coalesce(func.max(member.c.seat), -1)).where(member.c.study_id == study_id)
    seat = connection.execute(last).scalar_one() + 1
    values = {"study_id": study_id, "account_id": account_id, "role": role, "seat": seat, "attested": attested}
    connection.execute(insert(member).values(**values))


def leave(connection: Connection, study_id: str, account_id: int, at: str) -> None:
    """Note that a reviewer has left a study."""
    mine = (member.c.study_id == study_id, member.c.account_id == account_id)
    connection.execute(update(member).where(*mine).values(left_at=at))


def hand_over(connection: Connection, slot_id: int, account_id: int, **drawn: Any) -> None:
    """Put an unanswered slot into another reviewer's list, as drawn anew; what was typed there goes."""
    connection.execute(delete(draft).where(draft.c.slot_id == slot_id))
    fresh = {"account_id": account_id, "opened": None, "opened_at": None, "flagged": False}
    connection.execute(update(slot).where(slot.c.id == slot_id).values(**fresh, **drawn))


def add_deviation(connection: Connection, study_id: str, at: str, text: str) -> None:
    """Log a deviation."""
    connection.execute(insert(deviation).values(study_id=study_id, at=at, text=text))


def deviations(connection: Connection, study_id: str) -> list[Row[Any]]:
    """Return a study's deviations, oldest first."""
    return list(connection.execute(select(deviation).where(deviation.c.study_id == study_id).order_by(deviation.c.id)))
