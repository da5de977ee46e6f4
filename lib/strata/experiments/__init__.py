"""Logged runs: found, read, compared, run again. They were written by runlog.py; a damaged one is told, not trusted."""
