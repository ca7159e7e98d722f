"""The report of a verification: the result object, and its text, JSON and picture."""
