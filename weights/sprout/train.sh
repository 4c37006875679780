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
large() {
  late --rows 16 --matrix-lr 0.028 --other-lr 0.0113 "$@"
}
corpus=${1:?the folder of the texts} out=${2:?a folder for the checkpoint}
train --tokens 24M --until 5790k --other-lr 0.008
train --tokens 12M --until 7335k --other-lr 0.008 --decay-share 0.43 --books 0.25
train --tokens 11M --other-lr 0.008 --decay-share 0.36 --books 0.25
late --tokens 22500k --until 12870k --other-lr 0.008 --dropout 0.1
late --tokens 22500k --until 14175k --other-lr 0.008 --dropout 0.05
large --tokens 24M --dropout 0.05
# Once more with a new optimiser, from those weights rounded to float16; weights are kept on the way (there, every
# three minutes: some 360,000 tokens). The mean of the 16 last kept is averaged with the end.
first=$out/checkpoint.safetensors out=$out-more
more() {
  large --from "$first" --keep-every 360k "$@"
}
more --tokens 37M --until 25540k --dropout 0.15 --matrix-decay 0.2
more --tokens 36M --until 30015k --dropout 0.15 --matrix-decay 0.2
more --tokens 36M --dropout 0.05
python -m training average $(ls "$out"/kept-*.safetensors | tail -n 16) --out "$out/mean.safetensors"
python -m training average "$out/mean.safetensors" "$out/checkpoint.safetensors" --out "$out/both.safetensors"
python -m training calibrate "$out/both.safetensors" --corpus "$corpus" --tokenizer weights/sprout/tokenizer.json \
  --out "$out/calibrated.safetensors"
