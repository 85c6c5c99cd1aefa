"""Servers of known truth, and what an account says of them: see `cells`, `servers` and `judge`."""
