#!/bin/sh
# Trains the store's model as its weights were trained: sh weights/store/train.sh CORPUS OUT, from the project's
# folder.  Interrupted and started again, it goes on where it was.
set -e
corpus=${1:?the folder of the texts} out=${2:?a folder for the checkpoint}
python -m training train store --corpus "$corpus" --tokenizer weights/store/tokenizer.json --out "$out" \
  --tokens 3M --rows 32 --other-lr 0.01 --threads 1
