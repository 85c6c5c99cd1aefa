"""Tools that every room may use: units, errors with their place and fix, estimates, member lookup.

Nothing here knows of plans, servers or reports, and nothing here is slow to import.
"""
