"""Language models: several providers behind one call, recorded, replayed, retried and kept within a budget."""
