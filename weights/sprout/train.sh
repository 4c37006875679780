#!/bin/sh
# Trains Sprout as its weights were trained: sh weights/sprout/train.sh CORPUS OUT, from the project's folder.
# Interrupted and started again, it goes on where it was.
set -e
train() {
  python -m training train sprout --corpus "$corpus" --tokenizer weights/sprout/tokenizer.json --out "$out" \
    --grow 2@0,4@2400k,8@6800k "$@"
}
late() {
  train --decay-share 0.9 --books 0.25 --matrix-decay 0.1 --other-decay 0.1 "$@"
}
corpus=${1:?the folder of the texts} out=${2:?a folder for the checkpoint}
train --tokens 24M --until 5790k --other-lr 0.008
train --tokens 12M --until 7335k --other-lr 0.008 --decay-share 0.43 --books 0.25
train --tokens 11M --other-lr 0.008 --decay-share 0.36 --books 0.25
late --tokens 22500k --until 12870k --other-lr 0.008 --dropout 0.1
late --tokens 22500k --until 14175k --other-lr 0.008 --dropout 0.05
late --tokens 24M --rows 16 --matrix-lr 0.028 --other-lr 0.0113 --dropout 0.05
