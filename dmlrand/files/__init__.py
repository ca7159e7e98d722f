"""Files replaced as a whole or not at all, locks, checksummed JSON, and names that a system may refuse."""
