#!/bin/sh
# Runs every model file of the conformance kit. README.md has the instructions.
if [ $# -eq 0 ]; then
    echo "usage: sh run.sh PROGRAM [options]   PROGRAM runs the model file that is its last argument" >&2
    exit 2
fi
cd "$(dirname "$0")" || exit 1
mkdir -p outputs
for model in models/*.json; do
    name=$(basename "$model" .json)
    echo "$name"
    rm -f "outputs/$name".*
    "$@" "$model" > "outputs/$name.txt" 2>&1
    echo "exit code $?" >> "outputs/$name.txt"
done
