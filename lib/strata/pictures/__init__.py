"""Pictures as queries: opened (open.py), matched with texts by CLIP (clip.py), put into words by a model (vision.py)."""
