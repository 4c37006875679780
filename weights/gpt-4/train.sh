#!/bin/sh
# Trains gpt-4 as its weights were trained: sh weights/gpt-4/train.sh CORPUS OUT, from the project's folder.
# Interrupted and started again, it goes on where it was.
set -e
train() {
  python -m training train gpt-4 --corpus "$corpus" --tokenizer weights/gpt-4/tokenizer.json --out "$out" "$@"
}
corpus=${1:?the folder of the texts} out=${2:?a folder for the checkpoint}
train --tokens 11M --other-lr 0.01
train --tokens 15M --other-lr 0.008 --decay-share 0.45 --books 0
train --tokens 18M --other-lr 0.008 --decay-share 0.3333 --books 0.25
train --tokens 20500k --other-lr 0.008 --decay-share 0.3 --books 0.25
