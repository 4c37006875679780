#!/bin/sh
# Trains gpt-1 as its weights were trained: sh weights/gpt-1/train.sh CORPUS OUT, from the project's folder.
# Interrupted and started again, it goes on where it was.
set -e
corpus=${1:?the folder of the texts} out=${2:?a folder for the checkpoint}
python -m training train gpt-1 --corpus "$corpus" --tokenizer weights/gpt-1/tokenizer.json --out "$out" \
  --tokens 12M --other-lr 0.012 --books 0.25 --seed 1 --watch --threads 1
