"""Keeps track of what is in stock and warns when something runs low."""
from __future__ import annotations

import csv
import logging
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Iterable, Iterator

logger = logging.getLogger(__name__)

DEFAULT_THRESHOLD = 10


@dataclass(frozen=True)
class Movement:
    sku: str
    quantity: int
    at: datetime
    reason: str = "sale"


@dataclass
class Inventory:
    levels: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    history: list[Movement] = field(default_factory=list)

    def apply(self, movement: Movement) -> None:
        new_level = self.levels[movement.sku] + movement.quantity
        if new_level < 0:
            raise ValueError(f"{movement.sku}: only {self.levels[movement.sku]} left, asked for {-movement.quantity}")
        self.levels[movement.sku] = new_level
        self.history.append(movement)
        logger.debug("applied %s, level is now %d", movement, new_level)

    def low(self, threshold: int = DEFAULT_THRESHOLD) -> Iterator[tuple[str, int]]:
        for sku, level in sorted(self.levels.items()):
            if level < threshold:
                yield sku, level

    def sold_since(self, days: int) -> dict[str, int]:
        start = datetime.now() - timedelta(days=days)
        totals: dict[str, int] = {}
        for movement in self.history:
            if movement.at >= start and movement.quantity < 0:
                totals[movement.sku] = totals.get(movement.sku, 0) - movement.quantity
        return totals


def read_movements(path: Path) -> Iterable[Movement]:
    with path.open(newline="", encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            try:
                yield Movement(
                    sku=row["sku"].strip().upper(),
                    quantity=int(row["quantity"]),
                    at=datetime.fromisoformat(row["at"]),
                    reason=row.get("reason") or "sale",
                )
            except (KeyError, ValueError) as error:
                logger.warning("skipping %r: %s", row, error)


def main(arguments: list[str] | None = None) -> int:
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--threshold", type=int, default=DEFAULT_THRESHOLD)
    options = parser.parse_args(arguments)

    inventory = Inventory()
    for file in options.files:
        for movement in read_movements(file):
            inventory.apply(movement)
    for sku, level in inventory.low(options.threshold):
        print(f"{sku:<12} {level:>5}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
