"""What the command line draws into files: words, the report of verify, the results of bench."""
