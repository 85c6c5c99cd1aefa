"""Changes that prove a cause, on real processes and groups of this machine."""
