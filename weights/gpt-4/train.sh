#!/bin/sh
# Trains gpt-4 as its weights were trained: sh weights/gpt-4/train.sh CORPUS OUT, from the project's folder.
# Interrupted and started again, it goes on where it was.
set -e
train() {
  python -m training train gpt-4 --corpus "$corpus" --tokenizer weights/gpt-4/tokenizer.json --out "$out" \
    --seed 1 --watch --threads 1 "$@"
}
corpus=${1:?the folder of the texts} out=${2:?a folder for the checkpoint}
train --tokens 11M --other-lr 0.01 --books 0.5
train --tokens 20500k --other-lr 0.008 --decay-share 0.7 --books 0.25
