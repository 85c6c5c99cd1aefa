"""Simulated trials on machines with days, drift and neighbours, and what a comparison makes of them."""
