"""The folder that a run leaves: written as it happens, sealed at the end, read by everything else.

This room defines what a folder looks like and nothing of what its figures mean: the measures do that.
"""
