"""The parts of growth.py: what is made and measured, how values grow, and the page that is made of them."""
