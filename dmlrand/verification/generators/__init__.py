"""Which words: generators with exchangeable steps, and the catalogue of their faults."""
