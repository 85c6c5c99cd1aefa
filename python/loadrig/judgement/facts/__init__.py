"""Facts of one trial, in the form in which causes ask: steps, load, tiers, series, events."""
