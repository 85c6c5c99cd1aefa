"""Sources of facts on a Python server: its interpreter lock, its own reports, gunicorn's log."""
