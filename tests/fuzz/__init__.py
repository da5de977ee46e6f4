"""Whatever comes in, a value or one line goes out: Hypothesis over everything that Strata reads.

Each file has one subject. In the tests the examples are the same every time (derandomised) and few; `make fuzz` draws
FUZZ_TIMES as many, new ones each time. What was found is in tests/test_found_by_fuzzing.py, as plain tests.
"""
