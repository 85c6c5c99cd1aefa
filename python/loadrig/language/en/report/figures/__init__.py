"""Sentences of the figures in English, a file for each figure."""
