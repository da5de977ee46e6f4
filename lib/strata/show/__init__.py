"""Drawing. Turns traces, explanations and catalogues into blocks of text; nothing here searches or computes scores."""
