"""Disturbs a machine on purpose by a known share of the time, and looks at what trials say then."""
