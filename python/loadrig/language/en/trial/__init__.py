"""Sentences of `trial` in English, a file for each of its files."""
