"""Rerankers: they read the first candidates of a list anew, together with the query, and put them into an order.

A reranker can only reorder what it is given. Each hands back its candidates alone, best first; where two have equal
scores, the one that stood first stays first. What it did not read follows in the order it had (Trace.final).
"""
