"""Pure functions on arrays: intervals, comparisons, verdicts, trends. No domain words here.

Nothing in this room knows of servers, trials or knobs; a caller hands in numbers and gets numbers
with their uncertainty. Tests and distributions come from scipy wherever scipy has them.
"""
