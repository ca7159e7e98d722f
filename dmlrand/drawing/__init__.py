"""What every draw is made of: the rules of numbers, the plan of a draw, its result, and shared positions."""
