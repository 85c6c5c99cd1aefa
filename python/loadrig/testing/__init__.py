"""For tests of the rig, and for authors of members: recordings made up, and a look for leftovers.

Nothing of the program imports this room.
"""
