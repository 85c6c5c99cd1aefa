"""Sentences of the causes in Korean, a file for each cause."""
