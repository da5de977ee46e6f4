"""Measuring: what plans give for a golden set, how good that is, how sure, why something was missed. Reads traces."""
