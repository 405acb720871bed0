"""The parts of the comparison benchmark; compare.py and cli.py put them together."""
