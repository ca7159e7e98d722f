"""One module or package per imitated system, bit-exact; needs none of them installed."""
