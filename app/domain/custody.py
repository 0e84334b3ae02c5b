"""Who may know what a seat must not: who led a study, and who held the code of an account."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

KNEW: Final = "led this study, or one that it follows, or imported its items, and may know which text is which"


def led(assigned: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return who leads in any of some lists of people, as the record keeps them.

    >>> sorted(led([{"people": [{"name": "rosa", "role": "reviewer"}, {"name": "lena", "role": "lead"}]}, {}]))
    ['lena']
    """
    people = (person for each in assigned for person in each.get("people", ()))
    return frozenset(person["name"] for person in people if person["role"] == "lead")


def by_lead(judges: Iterable[str], givers: Mapping[str, Sequence[str]], leads: Collection[str]) -> int:
    """Return how many of some accounts one of the leads made, or gave a code.

    Each of these codes the lead could have used; that its owner came in later, with a newer one, undoes nothing.

    >>> by_lead(["rosa", "ravi"], {"rosa": ["local", "lena"], "ravi": ["local"]}, {"lena"})
    1
    """
    return sum(any(giver in leads for giver in givers.get(name, ())) for name in judges)


def by_strangers(judges: Iterable[str], givers: Mapping[str, Sequence[str]], trusted: Collection[str]) -> int:
    """Return how many of some accounts had their last code from somebody who is not trusted.

    A new code ends the former and the password, so that only who gave the last one can hold it.

    >>> by_strangers(["rosa", "ravi"], {"rosa": ["liam", "local"], "ravi": ["local", "liam"]}, {"local", "lena"})
    1
    """
    last = (given[-1] for name in judges if (given := givers.get(name)))
    return sum(giver not in trusted for giver in last)


@dataclass(frozen=True)
class Account:
    """An account as a lead finds it who would change it or let it lead.

    `leads`: some study, a draft too, for a draft is read by whoever leads it. `under_way`: has a part in a study
    that is frozen; `elsewhere`: in one that the lead does not lead. `maker`: who made it, by the record.
    """

    name: str
    may_lead: bool
    leads: bool
    under_way: bool
    elsewhere: bool
    maker: str | None


def unchangeable(account: Account, actor: str) -> tuple[str, str] | None:
    """Return why a lead may not reset or disable an account, as code and message; None where that lead may.

    Whoever gives a new code can sign in as the account's owner. A draft gives its lead no say over anybody: seats
    in it are given without asking, and could be given to keep another lead from helping a judge.
    """
    if account.may_lead or account.leads:
        told = "leads, or may lead. Such an account is changed on the command line alone: evenhand user"
        return "lead_account", f"“{account.name}” {told}"
    if account.elsewhere:
        told = "takes part in a study that you do not lead: ask its lead, or use the command line."
        return "not_yours", f"“{account.name}” {told}"
    if not account.under_way and account.maker != actor:
        told = "has no part in a frozen study of yours, and you did not make it: ask who did, or use the command line."
        return "not_made", f"“{account.name}” {told}"
    return None


def unseatable(account: Account, makers: Collection[str]) -> str | None:
    """Return why a lead may not let an account lead a draft; None where that lead may.

    What leads is changed on the command line alone. So nobody takes another lead's judge away by such a seat.
    `makers`: whose accounts the lead may use so.
    """
    if account.may_lead or (not account.elsewhere and account.maker in makers):
        return None
    why = "is another lead's judge" if account.elsewhere else "was made by somebody else"
    return (
        f"“{account.name}” {why}: choose somebody who may lead, or assign on the command line (evenhand study assign)"
    )
