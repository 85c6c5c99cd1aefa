"""Trial: one setting, one run: surroundings, target, probes, generator, window, validity, result."""
