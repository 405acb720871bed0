"""The parts of report.py: which comparisons there are, how they are run and kept, and the page that is made of them."""
