"""Generators that make one load together: placed, started at one instant, heard as one, steered as one.

A fleet of n is one load in n parts (decision 0054). What comes out of it is one stream of frames, as from one
generator, so nothing downstream knows of parts.
"""
