"""Sentences of `trial` in Korean, a file for each of its files."""
