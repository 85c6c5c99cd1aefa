"""Sentences of the causes in English, a file for each cause."""
