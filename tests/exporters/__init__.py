"""Tests of the formats in which a run is handed over."""
