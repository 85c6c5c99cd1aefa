"""Sentences in Korean, a file for each room; `causes` has one for each cause."""
