"""Installation as a user does it, from the files of dist/."""
