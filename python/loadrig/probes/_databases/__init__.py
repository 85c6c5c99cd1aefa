"""Answers of databases: parsed, named, and without the values of their statements."""
