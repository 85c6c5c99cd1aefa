"""Helpers for tests of the rig, and for authors of members: made-up recordings, and a look for leftovers.

Nothing of the program imports this room.
"""
