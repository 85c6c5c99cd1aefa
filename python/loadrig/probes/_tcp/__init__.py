"""Sockets of one network namespace: by netlink or by text, and what its stack counts."""
