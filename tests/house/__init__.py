"""Tests over the house itself: its walls, its texts, and what they promise."""
