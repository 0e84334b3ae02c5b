"""Ways in which a request goes wrong: beneath it, in the store and in the pages; and in what it brings."""

import contextlib
import re

import jinja2
import pytest
from sqlalchemy import event
from sqlalchemy.engine.default import DefaultDialect

from app.store.db import driver
from app.web.guard import MAX_BODY

MARK = "quokka"  # stands in every message that an error brings, and nowhere in the program
SECRET = MARK + ": select on_panel from slot where arm = 'on' at /home/somebody/store.py, label safe-cleanup"  # noqa: S608 - a driver's message
ANY, BEGIN = re.compile(""), re.compile("begin immediate", re.IGNORECASE)
ROW, EVENT = re.compile("insert|update|delete", re.IGNORECASE), re.compile("insert into audit_event", re.IGNORECASE)
FULLY, HELD = "the disk is full at the commit", "another program holds the store"
ONCE = "the disk is full at one commit"
NEVER = re.compile("(?!)")
FULL, LOCKED = driver.OperationalError("database or disk is full"), driver.OperationalError("database is locked")
KIND = {"SQL": driver.OperationalError, "a rule": driver.IntegrityError, "a key": KeyError, "the system": OSError}


@contextlib.contextmanager
def failing(store, statement, error, after=0, *, commits=True):
    """Let the store fail at a statement, once so many like it have run, and at every commit; give what failed."""
    failed, dialect, left = [], store.engine.dialect, [after]

    def execute(cursor, sql, parameters, context):
        if statement.match(sql):
            left[0] -= 1
            if left[0] < 0:
                fail()

    def fail(*_):
        failed.append(error)
        raise error

    event.listen(dialect, "do_execute", execute)
    event.listen(dialect, "do_execute_no_params", lambda cursor, sql, context: execute(cursor, sql, (), context))
    try:
        with pytest.MonkeyPatch.context() as patch:
            if commits:
                patch.setattr(dialect, "do_commit", fail)
            yield failed
    finally:
        dialect.dispatch.do_execute.clear()
        dialect.dispatch.do_execute_no_params.clear()


@contextlib.contextmanager
def once(store, error):
    """Let one commit fail, and no later one."""
    failed, honest = [], DefaultDialect.do_commit

    def commit(connection):
        if failed:
            return honest(store.engine.dialect, connection)
        failed.append(error)
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.engine.dialect, "do_commit", commit)
        yield failed


@contextlib.contextmanager
def pages_failing(store, *, errors_too):
    """Let the templates fail after all else went well; what would be stored is not, so that a step stays as it was."""
    failed, honest = [], jinja2.Template.render

    def render(template, *more, **context):
        if errors_too or template.name != "errors/error.html":
            failed.append(template.name)
            raise KeyError(SECRET)
        return honest(template, *more, **context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jinja2.Template, "render", render)
        patch.setattr(store.engine.dialect, "do_commit", lambda connection: connection.rollback())
        yield failed


BENEATH = {
    FULLY: lambda store: failing(store, NEVER, FULL),
    ONCE: lambda store: once(store, FULL),
    HELD: lambda store: failing(store, BEGIN, LOCKED),
    **{
        f"{name} fails with {kind}": lambda store, at=at, error=error: failing(store, at, error(SECRET))
        for name, at, kinds in (
            ("the commit", NEVER, ("a rule", "a key")),
            ("the first statement", ANY, ("SQL", "the system")),
            ("the first row", ROW, ("SQL", "a rule", "a key")),
            ("the last row", EVENT, ("a rule",)),
        )
        for kind, error in KIND.items()
        if kind in kinds
    },
}
BEHIND = {  # once it was stored
    "every page but that of errors fails": lambda store: pages_failing(store, errors_too=False),
    "every page fails": lambda store: pages_failing(store, errors_too=True),
}
LOOKING = {
    **{
        f"statement {after + 1} fails with {kind}": lambda store, after=after, error=error: failing(
            store, ANY, error(SECRET), after
        )
        for after, kinds in enumerate((("SQL", "the system"), (), ("SQL", "a rule"), (), ("SQL", "a key")))
        for kind, error in KIND.items()
        if kind in kinds
    },
    **BEHIND,
}

URLENCODED = "application/x-www-form-urlencoded"
BROKEN = b'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n'
BODIES = {  # by kind: what it is said to be, and what comes
    "nothing": (URLENCODED, b""),
    "another type": ("application/json", b'{"csrf": "quokka"}'),
    "no type": ("", b"csrf=quokka"),
    "another charset": (f"{URLENCODED}; charset=utf-16", b"csrf=quokka"),
    "too large": (URLENCODED, b"x=" + b"q" * MAX_BODY),
    "too many fields": (URLENCODED, b"&".join(b"quokka%d=1" % number for number in range(1_100))),
    "no boundary": ("multipart/form-data", BROKEN),
    "another boundary": ("multipart/form-data; boundary=y", BROKEN),
    "cut off": ("multipart/form-data; boundary=x", BROKEN),
    "no name": ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data\r\n\r\nquokka\r\n--x--\r\n"),
    "an odd header": ("multipart/form-data; boundary=x", b"--x\r\nquo(kka: 1\r\n\r\nquokka\r\n--x--\r\n"),
    "a charset of its own": (
        "multipart/form-data; boundary=x",
        BROKEN.replace(b"csrf", b"_charset_") + b"quokka\r\n" + BROKEN + b"\xff\r\n--x--\r\n",
    ),
    "bytes that are no text": (URLENCODED, b"csrf=%FF%FE\xff\xfe"),
    "half a pair": (URLENCODED, b"csrf=%ED%A0%80"),
    "NUL": (URLENCODED, b"csrf=%00"),
}
