"""Tests of what monitoring is told while a run goes on."""
