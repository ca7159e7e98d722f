"""Where the words went: named places, strides, swizzles, and the segments of a dump."""
