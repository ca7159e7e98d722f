"""Where the words went: named places, strides, draws, and the segments of a dump."""
