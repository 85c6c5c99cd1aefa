"""Soaks made up by stated laws, and what loadrig says of them."""
