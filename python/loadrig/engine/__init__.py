"""The generator as a process of its own: its config, its start, its frames, its end.

`python -m loadrig.engine` is that process; this room talks to it. What a request carries is
decided in `compile`; what the frames mean is said in the recording room.
"""
