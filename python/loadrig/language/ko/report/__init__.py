"""Sentences of `report` in Korean, a file for each of its files."""
