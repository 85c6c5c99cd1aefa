"""Sentences of `converters` in English, a file for the room and one for each of its members."""
