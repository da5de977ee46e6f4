"""Premises for entries that hold nothing to find: which they are, where their story stands, and what is put before
their text, by rule or by a language model."""
