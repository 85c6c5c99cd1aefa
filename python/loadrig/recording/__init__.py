"""The folder that a run leaves: written as it happens, sealed at the end, read by everything else.

Here stands what a folder looks like and nothing of what its figures mean: that is the measures'.
"""
