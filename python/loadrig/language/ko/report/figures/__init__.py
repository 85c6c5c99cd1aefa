"""Sentences of the figures in Korean, a file for each figure."""
