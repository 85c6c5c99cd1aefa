"""What a Go program tells of itself: its pprof pages, its trace of collections, its environment."""
