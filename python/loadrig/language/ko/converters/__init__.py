"""Sentences of `converters` in Korean, a file for the room and one for each of its members."""
