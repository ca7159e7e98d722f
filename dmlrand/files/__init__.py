"""Files: atomic writes, locks, openers, checksummed JSON, .npy arrays, names and errors."""
