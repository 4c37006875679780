#!/bin/sh
# Trains gpt-1 as its weights were trained: sh weights/gpt-1/train.sh CORPUS OUT, from the project's folder.
# Interrupted and started again, it goes on where it was.
set -e
train() {
  python -m training train gpt-1 --corpus "$corpus" --tokenizer weights/gpt-1/tokenizer.json --out "$out" \
    --other-lr 0.012 "$@"
}
corpus=${1:?the folder of the texts} out=${2:?a folder for the checkpoint}
train --tokens 9M
train --tokens 12M --decay-share 0.5 --books 0.25
