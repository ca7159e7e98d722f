"""What the command line draws into files: words, and the report of verify."""
