"""How often the intervals hold the true value: `make coverage-study` (minutes; not part of the tests).

Studies are made up whose truth is known, at N = 160 items in K clusters, and the program's own functions give their
intervals. Printed are the share of intervals that hold the truth (nominal: 95 %), its Monte Carlo standard error, and
the share of studies without an interval, which says why instead. A share is taken of the intervals that there are.

    python -m scripts.coverage_study [--replicates 2000] [--seed 1]
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from app.domain.statistics import bootstrap, jackknife, stacks
from app.domain.statistics.intervals import clopper_pearson, korn_graubard
from app.domain.statistics.numeric import Array

ITEMS: Final = 160
CLUSTERS: Final = (4, 8, 16, 40)
ALIKE: Final = (0.0, 0.1)  # intra-cluster correlation
RATES: Final = (0.02, 0.1)
RESAMPLES: Final = 1_000
# Of true labels; a reviewer who does not see the true one answers by the same shares.
LABELS: Final = np.array([0.04, 0.01, 0.02, 0.45, 0.2, 0.25, 0.03])
SEEN: Final = 0.85
DESTRUCTIVE: Final = 3  # labels, the first of them

Interval = tuple[float, float] | None


@dataclass
class Tally:
    """Intervals of one kind in one cell of the study."""

    truth: float
    held: int = 0
    there: int = 0
    asked: int = 0
    widths: list[float] = field(default_factory=list)

    def add(self, found: Interval) -> None:
        """Count one interval, or that there is none."""
        self.asked += 1
        if found is not None:
            self.there += 1
            self.held += found[0] <= self.truth <= found[1]
            self.widths.append(found[1] - found[0])

    def __str__(self) -> str:
        if not self.there:
            return f"{'-':>7} {'-':>6} {'-':>7} {100.0:>6.1f}"
        share = self.held / self.there
        error = math.sqrt(share * (1 - share) / self.there)
        missing = 1 - self.there / self.asked
        return f"{100 * share:>7.1f} {100 * error:>6.2f} {np.median(self.widths):>7.3f} {100 * missing:>6.1f}"


def rates(draw: np.random.Generator, k: int, p: float, alike: float, replicates: int) -> dict[str, Tally]:
    """Return the tallies for a rate p in k clusters; clusters differ by a beta distribution."""
    size = ITEMS // k
    tallies = {"Korn-Graubard": Tally(p), "Clopper-Pearson": Tally(p)}
    spread = (1 - alike) / alike if alike else None
    for _ in range(replicates):
        shares = np.full(k, p) if spread is None else draw.beta(p * spread, (1 - p) * spread, k)
        events = draw.binomial(size, shares).tolist()
        tallies["Korn-Graubard"].add(korn_graubard([(x, size) for x in events]).interval)
        tallies["Clopper-Pearson"].add(clopper_pearson(sum(events), ITEMS))
    return tallies


def answers(labels: Array, seen: float, square: float) -> Array:
    """Return the chances of each pair of answers; `square` is the mean of the square of `seen`."""
    q = len(labels)
    own, by_share = np.diag(labels), np.outer(LABELS, LABELS)
    mixed = np.outer(labels, LABELS)
    table = square * own + (seen - square) * (mixed + mixed.T) + (1 - 2 * seen + square) * by_share
    return table.reshape(1, q, q)


STATISTICS: Final[dict[str, tuple[stacks.Statistic, jackknife.Range]]] = {
    "alpha": (stacks.krippendorff_alpha, jackknife.COEFFICIENT),
    "AC1": (stacks.gwet_ac1, jackknife.COEFFICIENT),
    "kappa": (stacks.cohen_kappa, jackknife.COEFFICIENT),
    "Brennan-Prediger": (stacks.brennan_prediger, jackknife.COEFFICIENT),
    "positive agreement": (lambda stack: stacks.specific(0)(marked(stack)), jackknife.SHARE),
    "negative agreement": (lambda stack: stacks.specific(1)(marked(stack)), jackknife.SHARE),
}


def marked(stack: Array) -> Array:
    """Return the same tables over destructive / not."""
    first, last = stack[:, :DESTRUCTIVE], stack[:, DESTRUCTIVE:]
    cells = [
        part.sum(axis=(1, 2)) for rows in (first, last) for part in (rows[:, :, :DESTRUCTIVE], rows[:, :, DESTRUCTIVE:])
    ]
    return np.stack(cells, axis=1).reshape(-1, 2, 2)


def truths(alike: float) -> dict[str, float]:
    """Return every statistic of so many items that chance is of no account."""
    square = SEEN**2 + SEEN * (1 - SEEN) * alike
    many = answers(LABELS, SEEN, square) * 1e9
    return {name: float(of(many)[0]) for name, (of, _) in STATISTICS.items()}


def coefficients(draw: np.random.Generator, k: int, alike: float, replicates: int) -> dict[str, Tally]:
    """Return the tallies for every coefficient in k clusters, which differ in their labels and in how much is seen."""
    true = truths(alike)
    tallies = {f"{name}, jackknife": Tally(true[name]) for name in STATISTICS}
    tallies |= {f"{name}, bootstrap": Tally(true[name]) for name in STATISTICS if k >= bootstrap.FEWEST_CLUSTERS}
    for _ in range(replicates):
        tables = study(draw, k, alike)
        whole, without = tables.sum(axis=0)[None], tables.sum(axis=0) - tables
        again = bootstrap.resampled(tables, RESAMPLES, int(draw.integers(2**31)))
        for name, (of, bounds) in STATISTICS.items():
            value = known(of(whole))[0]
            tallies[f"{name}, jackknife"].add(jackknife.jackknife(value, known(of(without)), bounds).interval)
            if f"{name}, bootstrap" in tallies:
                found = None if value is None else bootstrap.percentile(of(again)).interval
                tallies[f"{name}, bootstrap"].add(found)
    return tallies


def study(draw: np.random.Generator, k: int, alike: float) -> Array:
    """Return the tables of one made-up study, one a cluster."""
    spread = (1 - alike) / alike if alike else None
    tables = []
    for _ in range(k):
        labels = LABELS if spread is None else draw.dirichlet(LABELS * spread)
        seen = SEEN if spread is None else float(draw.beta(SEEN * spread, (1 - SEEN) * spread))
        tables.append(draw.multinomial(ITEMS // k, answers(labels, seen, seen**2).ravel()).reshape(7, 7))
    return np.array(tables)


def known(values: Iterable[float]) -> list[float | None]:
    """Return the values with None for those that do not exist."""
    return [None if math.isnan(value) else float(value) for value in values]


def main(argv: Sequence[str] | None = None) -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Measure how often intervals hold the true value.")
    parser.add_argument("--replicates", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(argv)
    draw = np.random.default_rng(asked.seed)
    print(f"{asked.replicates:,} studies a cell, {ITEMS} items each, seed {asked.seed}. Nominal: 95 %.\n")
    head = f"{'cover %':>7} {'+-':>6} {'width':>7} {'none %':>6}"
    print(f"{'rate':>5} {'alike':>5} {'K':>3}  {'interval':<30} {head}")
    for p in RATES:
        for alike in ALIKE:
            for k in CLUSTERS:
                for name, tally in rates(draw, k, p, alike, asked.replicates).items():
                    print(f"{p:>5} {alike:>5} {k:>3}  {name:<30} {tally}", flush=True)
    print(f"\n{'true':>5} {'alike':>5} {'K':>3}  {'interval':<30} {head}")
    for alike in ALIKE:
        for k in CLUSTERS:
            for name, tally in coefficients(draw, k, alike, asked.replicates).items():
                print(f"{tally.truth:>5.2f} {alike:>5} {k:>3}  {name:<30} {tally}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
