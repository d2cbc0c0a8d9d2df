"""Values that others computed, beside ours: `make verify` compares them and writes `docs/verification.rst`."""
