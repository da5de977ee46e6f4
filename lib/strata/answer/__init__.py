"""Answers from numbered sources, by a language model or by rule, and the check of every citation."""
