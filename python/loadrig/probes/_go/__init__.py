"""Sources of facts on a Go program: its pprof pages, its trace of collections, its environment."""
