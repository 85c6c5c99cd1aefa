"""Tests of the labs room: formats, needs, services, and labs made for a test."""
