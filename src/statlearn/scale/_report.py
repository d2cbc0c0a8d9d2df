"""What a fit over blocks has cost: passes, bytes, seconds, retries."""

from dataclasses import dataclass, field


@dataclass
class Cost:
    """Costs of a range of blocks, which add."""

    blocks: int = 0
    rows: int = 0
    bytes_read: int = 0
    bytes_sent: int = 0
    seconds: dict = field(default_factory=dict)

    def merge(self, other):
        """Both together."""
        names = dict.fromkeys([*self.seconds, *other.seconds])
        seconds = {name: self.seconds.get(name, 0.0) + other.seconds.get(name, 0.0) for name in names}
        return Cost(
            self.blocks + other.blocks, self.rows + other.rows, self.bytes_read + other.bytes_read,
            self.bytes_sent + other.bytes_sent, seconds,
        )  # fmt: skip

    def add(self, stage, seconds):
        """Count the seconds of a stage."""
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds


@dataclass
class Report:
    """Costs of all passes of a fit."""

    passes: int = 0
    workers: int = 0
    retries: int = 0
    cost: Cost = field(default_factory=Cost)
    rows: int = 0
    blocks: int = 0

    def pass_done(self, cost, seconds):
        """Count one pass over the source."""
        self.passes += 1
        self.rows, self.blocks = max(self.rows, cost.rows), max(self.blocks, cost.blocks)
        self.cost = self.cost.merge(cost)
        self.cost.add("elapsed", seconds)

    def to_dict(self):
        """Plain numbers, as they are stored in the fitted model."""
        return {
            "passes": self.passes,
            "blocks": self.blocks,
            "rows": self.rows,
            "workers": self.workers,
            "bytes_read": self.cost.bytes_read,
            "bytes_sent": self.cost.bytes_sent,
            "retries": self.retries,
            "seconds": {name: float(value) for name, value in self.cost.seconds.items()},
        }
