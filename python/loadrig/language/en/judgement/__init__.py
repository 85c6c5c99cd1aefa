"""Sentences of `judgement` in English, a file for each of its files."""
