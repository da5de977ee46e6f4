"""Fusion: one list out of several."""
