"""Sentences of `report` in English, a file for each of its files."""
