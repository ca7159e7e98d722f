"""What was made of the words: masks, shifts, conversions, numbers."""
