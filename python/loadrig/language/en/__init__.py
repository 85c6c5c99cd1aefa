"""Sentences in English, a file for each room; `causes` has one for each cause."""
