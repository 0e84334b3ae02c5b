"""The command `evenhand`. One file a noun; `--json` is taken before or after any command."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import Any, Final

import click

from app import __version__
from app.cli import backups, demo, memos, pairing, scores, selections, serving, studies, users
from app.cli.desk import Desk
from app.config import DEFAULT_STORE
from app.domain.errors import EvenhandError, InvalidInput
from app.security import leave_no_core

FAILED: Final = 1
USAGE: Final = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="evenhand")
@click.option(
    "--store",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="EVENHAND_STORE",
    help=f"Folder of the store (or EVENHAND_STORE); {DEFAULT_STORE} unless given.",
)
@click.pass_context
def cli(context: click.Context, store: Path | None) -> None:
    """Blinded adjudication of paired text edits, on this computer only.

    --json before or after a command prints its answer as JSON.
    """
    context.obj = Desk(store, as_json=bool(context.obj))
    context.call_on_close(context.obj.close)


cli.add_command(demo.demo)
cli.add_command(serving.serve)
cli.add_command(users.user)
cli.add_command(selections.select)
cli.add_command(studies.study)
cli.add_command(pairing.pair)
cli.add_command(scores.score)
cli.add_command(memos.export)
cli.add_command(memos.verify)
cli.add_command(backups.backup)
cli.add_command(backups.restore)
# `evenhand study freeze` and `evenhand freeze` are the same command.
for shared in studies.SHORT:
    cli.add_command(studies.study.commands[shared])


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 refused or failed, 2 usage."""
    leave_no_core()
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given
    if any("\ud800" <= character <= "\udfff" for each in given for character in each):
        click.echo("An argument holds characters that are no text; type it in UTF-8.", err=True)
        sys.exit(USAGE)
    sys.exit(run([each for each in given if each != "--json"], as_json=as_json))


def run(arguments: list[str], *, as_json: bool) -> int:
    """Run one command and print its answer; return the exit code."""
    try:
        answer = cli.main(arguments, prog_name="evenhand", standalone_mode=False, obj=as_json)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.UsageError as error:
        error.show()
        _print_failure({"error": error.format_message()}, as_json=as_json)
        return USAGE
    except click.Abort:
        click.echo("Stopped.", err=True)
        return FAILED
    except (EvenhandError, click.ClickException) as error:
        click.echo(str(error), err=True)
        problems = [each.as_dict() for each in error.problems] if isinstance(error, InvalidInput) else []
        _print_failure({"error": str(error), "problems": problems}, as_json=as_json)
        return FAILED
    except Exception as error:  # noqa: BLE001 - nobody foresaw it; what it says may be SQL, or what somebody said
        told = f"Something went wrong in Evenhand ({_place(error)}), and nothing was half done. "
        told += "Try again; if it stays, run evenhand verify, and tell the maintainers the place in brackets."
        click.echo(told, err=True)
        _print_failure({"error": told}, as_json=as_json)
        return FAILED
    return _print_answer(answer, as_json=as_json)


def _place(error: BaseException) -> str:
    """Return the module and line of the program in which an error arose."""
    places = [(frame.f_globals.get("__name__", ""), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    name, line = next((each for each in reversed(places) if each[0].startswith("app.")), ("app", 0))
    return f"{name}, line {line}"


def _print_failure(failure: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(failure, ensure_ascii=False))


def _print_answer(answer: Any, *, as_json: bool) -> int:
    """Print a command's answer: its data as JSON, or its words."""
    if answer is None or isinstance(answer, int):  # help and version print themselves
        return answer or 0
    if as_json:
        click.echo(json.dumps(answer.data, ensure_ascii=False, indent=1))
    elif answer.text:
        click.echo(answer.text)
    return int(answer.exit_code)


if __name__ == "__main__":
    main()
