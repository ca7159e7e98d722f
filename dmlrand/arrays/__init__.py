"""Checks of arguments, shapes and outputs; which words a window needs; outputs filled piece by piece."""
