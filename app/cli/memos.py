"""evenhand export and evenhand verify."""

from __future__ import annotations

from pathlib import Path

import click

from app.actions import reporting
from app.cli.desk import Answer, Desk, read_bytes
from app.domain import anchor
from app.store.studies import listing
from app.store.verify import findings


@click.command()
@click.argument("study_id", metavar="STUDY")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A folder that does not exist yet.")
@click.option("--decision", type=click.Choice(reporting.DECISIONS), default="none", help="The further decision.")
@click.pass_obj
def export(desk: Desk, study_id: str, out: Path, decision: str) -> Answer:
    """Write the decision memo of a closed study to a new folder."""
    memo = reporting.export(desk.store, desk.world, desk.actor, study_id, out, decision)
    return Answer(
        f"{memo.verdict.status}. The memo is in {out}.",
        {"study": study_id, "status": memo.verdict.status, "out": str(out)},
    )


@click.command()
@click.option("--memo", type=click.Path(dir_okay=False, path_type=Path), help="A memo.json that was kept elsewhere.")
@click.pass_obj
def verify(desk: Desk, memo: Path | None) -> Answer:
    """Re-check the store, every manifest and the audit chain."""
    kept = None if memo is None else anchor.read(read_bytes(memo), memo.name)
    with desk.store.read() as connection:
        found = findings(connection, kept)
        count = len(listing(connection))
    if found:
        return Answer(
            "\n".join(["Differences from what was recorded:", *found]), {"ok": False, "findings": found}, exit_code=1
        )
    told = _whole(desk.folder.name, count)
    told += f"\nThe memo of {kept.study_id} fits: same head of the chain, protocol and manifest." if kept else ""
    return Answer(told, {"ok": True, "studies": count, "findings": []})


def _whole(store: str, count: int) -> str:
    """Say what was found whole, so that nobody trusts the check of another store."""
    if count == 0:
        return f"{store}: there is no study in this store. Is it the right one? Choose another with --store."
    studies = "1 study" if count == 1 else f"{count} studies"
    return f"{store} ({studies}): database, manifests, judgements and audit chain are as recorded."
