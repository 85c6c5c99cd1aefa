"""The rig measured as a whole, beside its peers: `python -m bench`, from the root. See bench/README.md.

Nothing here is imported by the program, and nothing here asserts a speed in the tests.
"""
