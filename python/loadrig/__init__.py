"""loadrig: load a server, watch every tier, find its limit, and prove what limits it.

Importing this package imports nothing else: the engine process starts through it and must be quick.
"""

__version__ = "0.1.0"
