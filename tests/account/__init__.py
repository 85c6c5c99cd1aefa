"""Tests of the room of accounts."""
