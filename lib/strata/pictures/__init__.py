"""Pictures as queries: opened (open.py), held against texts (clip.py), put into words by a model (vision.py)."""
