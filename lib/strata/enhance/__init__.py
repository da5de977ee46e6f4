"""What is done to a request before anything is searched: spell, rewrite, expand, structure, understand.

Each layer but understand, which asks nobody, has a way by rule (`by_rule`) beside the way of a language model
(`by_model`), and says which it took.
"""
