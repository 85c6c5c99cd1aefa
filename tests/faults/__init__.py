"""Nothing is lost, tried on purpose: every write, fsync, rename, spawn and connect of ours fails once."""
