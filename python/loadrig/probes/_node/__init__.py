"""The way into a Node program: its inspector, and the script that watches there."""
