"""Accounts and sessions."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, delete, insert, literal, select, update

from app.store.tables import account, earlier_session, session, setting


def by_name(connection: Connection, name: str) -> Row[Any] | None:
    """Return the account of this exact name."""
    return connection.execute(select(account).where(account.c.name == name)).first()


def listing(connection: Connection) -> list[Row[Any]]:
    """Return every account by name."""
    return list(connection.execute(select(account).order_by(account.c.name)))


def add(connection: Connection, **values: Any) -> int:
    """Insert an account and return its id."""
    key = connection.execute(insert(account).values(**values)).inserted_primary_key
    assert key is not None  # noqa: S101 - an insert of one row always has one
    return int(key[0])


def change(connection: Connection, account_id: int, **values: Any) -> None:
    """Change columns of an account."""
    connection.execute(update(account).where(account.c.id == account_id).values(**values))


def open_session(connection: Connection, **values: Any) -> None:
    """Insert a session."""
    connection.execute(insert(session).values(**values))


def signed_in(connection: Connection, token_hash: str) -> Row[Any] | None:
    """Return the session of a token with its account's `name`, `lead` and settings; None where there is none."""
    return connection.execute(_SIGNED_IN, {"token": token_hash}).first()


# Every request runs it, so it is built once.
_SIGNED_IN: Final = (
    select(session, account.c.name, account.c.lead, account.c.theme, account.c.text_size, account.c.shortcuts)
    .join(account, account.c.id == session.c.account_id)
    .where(session.c.token_hash == bindparam("token"), account.c.disabled.is_(False))
)


def touch_session(connection: Connection, token_hash: str, seen_at: str) -> None:
    """Note that a session was used."""
    connection.execute(update(session).where(session.c.token_hash == token_hash).values(seen_at=seen_at))


def choose_study(connection: Connection, token_hash: str, study_id: str) -> None:
    """Keep which study a session works on."""
    connection.execute(update(session).where(session.c.token_hash == token_hash).values(study_id=study_id))


def end_session(connection: Connection, token_hash: str) -> None:
    """Delete one session."""
    connection.execute(delete(session).where(session.c.token_hash == token_hash))


def sessions_of(connection: Connection, account_id: int) -> list[Row[Any]]:
    """Return every session of an account, the newest first, those too that ran out and were not used since."""
    newest = (session.c.created_at.desc(), session.c.reference)
    return list(connection.execute(select(session).where(session.c.account_id == account_id).order_by(*newest)))


def end_other_sessions(connection: Connection, account_id: int, own_hash: str, reference: str | None) -> list[str]:
    """Delete sessions of an account but its own: one by its reference, or all (None). Return their tokens' digests."""
    others = [session.c.account_id == account_id, session.c.token_hash != own_hash]
    if reference is not None:
        others.append(session.c.reference == reference)
    return list(connection.execute(delete(session).where(*others).returning(session.c.token_hash)).scalars())


def end_sessions_of(connection: Connection, account_id: int) -> None:
    """Delete every session of an account."""
    connection.execute(delete(session).where(session.c.account_id == account_id))


def bar_sessions(connection: Connection, study_id: str, account_id: int) -> None:
    """Keep an account's sessions of now from a study that it leads from its next sign-in on."""
    found = select(literal(study_id), session.c.token_hash).where(session.c.account_id == account_id)
    connection.execute(insert(earlier_session).prefix_with("or ignore").from_select(["study_id", "token_hash"], found))


def barred_from(connection: Connection, token_hash: str) -> frozenset[str]:
    """Return the studies that a session does not open, as it is older than its account's lead of them."""
    found = select(earlier_session.c.study_id).where(earlier_session.c.token_hash == token_hash)
    return frozenset(connection.execute(found).scalars())


def end_barred_sessions(connection: Connection, study_id: str) -> None:
    """Delete every session that a study does not open to, though its account leads it."""
    barred = select(earlier_session.c.token_hash).where(earlier_session.c.study_id == study_id)
    connection.execute(delete(session).where(session.c.token_hash.in_(barred)))


def end_all_sessions(connection: Connection) -> int:
    """Delete every session and return how many there were."""
    return connection.execute(delete(session)).rowcount


def read_setting(connection: Connection, key: str) -> str | None:
    """Return a fact of the store itself."""
    value = connection.execute(select(setting.c.value).where(setting.c.key == key)).scalar()
    return None if value is None else str(value)


def write_setting(connection: Connection, key: str, value: str) -> None:
    """Store a fact of the store itself."""
    connection.execute(delete(setting).where(setting.c.key == key))
    connection.execute(insert(setting).values(key=key, value=value))
