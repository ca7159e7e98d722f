"""The tests here verify dumps: words of faulty generators are kept from one test for the next ones."""

from kept_words import words_of_candidates_are_kept  # noqa: F401
