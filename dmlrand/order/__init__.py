"""Random orders, and the samplers that a training walks through them."""
