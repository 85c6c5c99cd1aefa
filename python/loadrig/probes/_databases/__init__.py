"""What databases answer: parsed, named, and without the values of their statements."""
