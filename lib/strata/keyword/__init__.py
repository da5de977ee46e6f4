"""Keyword search: a hand-built inverted index, TF-IDF and BM25."""
