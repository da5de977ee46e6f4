"""Search by meaning: texts cut into chunks, chunks turned into vectors, the nearest vectors found exactly."""
