#!/bin/sh
# Draws the pictures of docs/tutorial.md that heddle draws: tutorial-pictures.sh HEDDLE FOLDER
#
# `make docs` draws them into docs/, and tests/docs.sh compares these with new ones. Each shows the first warp of the program
# before or after the fix, with latencies of one cycle, so that a column is an issue and no time goes by between issues.
# docs/tutorial-source.png is a photograph of a page in a browser, and is made by hand.
set -eu
heddle=${1:?usage: tutorial-pictures.sh HEDDLE FOLDER}
folder=${2:?usage: tutorial-pictures.sh HEDDLE FOLDER}
for name in photons merged; do
    "$heddle" run "examples/tutorial/$name.ptx" --block 32 --arg 'buf:u32[32]' --arg 32 --gpu h200 --mech volta \
        --set sm.class_latency=1 --trace-window 280:999 --trace-svg "$folder/tutorial-$name.svg" --quiet
done
