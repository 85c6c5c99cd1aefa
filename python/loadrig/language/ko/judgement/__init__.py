"""Sentences of `judgement` in Korean, a file for each of its files."""
