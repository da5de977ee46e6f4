"""Strata: layered search that can be run, looked into, measured and swapped, one layer at a time."""

__version__ = "0.1.0"
