"""evenhand user: accounts."""

from __future__ import annotations

import sys

import click

from app.actions import accounts as act
from app.cli.desk import Answer, Desk
from app.domain.errors import InvalidInput
from app.security import Passwords
from app.store import accounts


@click.group()
def user() -> None:
    """Accounts of the people who sign in."""


@user.command()
@click.argument("name")
@click.option("--lead", is_flag=True, help="May create studies.")
@click.option("--password-stdin", is_flag=True, help="Take the password from standard input.")
@click.pass_obj
def add(desk: Desk, name: str, *, lead: bool, password_stdin: bool) -> Answer:
    """Add an account; prints a one-time code unless a password is piped in."""
    password = _piped_password() if password_stdin else None
    code = act.add(desk.store, desk.world, Passwords(), name, lead=lead, password=password)
    told = f"Added {name}."
    if code is not None:
        told += f" One-time code (valid {act.CODE_DAYS} days): {code}\nIt is entered at /code, with a new password."
    return Answer(told, {"name": name, "lead": lead, "code": code})


def _piped_password() -> str:
    try:
        password = sys.stdin.readline().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise InvalidInput.of("standard input was not UTF-8", field="password") from None
    if not password:
        raise InvalidInput.of("standard input held no password", field="password")
    return password


@user.command(name="list")
@click.pass_obj
def listing(desk: Desk) -> Answer:
    """List the accounts."""
    with desk.store.read() as connection:
        rows = accounts.listing(connection)
    people = [
        {"name": row.name, "lead": row.lead, "disabled": row.disabled, "code_open": row.code_hash is not None}
        for row in rows
    ]
    words = {"lead": "lead", "disabled": "disabled", "code_open": "code not used yet"}
    lines = ["  ".join([str(each["name"]), *(word for key, word in words.items() if each[key])]) for each in people]
    return Answer("\n".join(lines) or "No accounts yet. Add one: evenhand user add NAME", {"accounts": people})


@user.command()
@click.argument("name")
@click.pass_obj
def reset(desk: Desk, name: str) -> Answer:
    """Give an account a new one-time code; its password and sessions end, and a disabled one is open again."""
    code = act.reset(desk.store, desk.world, name)
    return Answer(f"New one-time code for {name} (valid {act.CODE_DAYS} days): {code}", {"name": name, "code": code})


@user.command()
@click.argument("name")
@click.pass_obj
def disable(desk: Desk, name: str) -> Answer:
    """Shut an account out; what it stored stays."""
    act.disable(desk.store, desk.world, name)
    return Answer(f"{name} cannot sign in any more.", {"name": name, "disabled": True})
