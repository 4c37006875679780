"""Handouts: pages to print, A4 or Letter, with room to guess in, and the answers on pages of their own."""

from html import escape

from engine.lens import row_names
from views import qr
from views.numbers import counted, probability

PAPERS = {"a4": "A4", "letter": "Letter"}
COLUMNS = 9  # of a strip, on a page across
_CSS = """
@page { size: %s landscape; margin: 12mm; }
:root { color-scheme: light; font: 10pt system-ui, sans-serif; color: #000; background: #fff; }
body { margin: 0 auto; max-width: 270mm; }
h1 { font-size: 15pt; margin: 0 0 1mm; }
h2 { font-size: 12pt; margin: 4mm 0 1mm; break-after: avoid; }
p { margin: 0 0 2mm; }
header { display: flex; justify-content: space-between; gap: 6mm; align-items: flex-start;
  margin-bottom: 3mm; }
.address { font-size: 8pt; overflow-wrap: anywhere; }
.answers { break-before: page; }
table { border-collapse: collapse; table-layout: fixed; width: 100%%; margin: 0 0 4mm; break-inside: avoid; }
th, td { border: .3mm solid #555; padding: .2mm 1mm; text-align: center; height: 7.4mm;
  overflow-wrap: anywhere; font-weight: 400; line-height: 1.15; }
th[scope=row] { width: 30mm; text-align: right; font-size: 8.5pt; }
thead th[scope=row] { font-weight: 700; }
thead th { border-color: transparent transparent #555; }
thead .n { display: block; font-size: 7pt; color: #444; }
code { font: 9pt ui-monospace, monospace; white-space: pre-wrap; }
td small { display: block; font-size: 7pt; color: #333; }
td.right { outline: .8mm solid #000; outline-offset: -.8mm; }
.state { display: grid; grid-template-columns: 1fr auto; gap: 5mm; break-inside: avoid;
  border-top: .3mm solid #555; padding: 3mm 0; }
.lines { height: 23.8mm; background: repeating-linear-gradient(#fff 0 7.6mm, #999 7.6mm 7.9mm);
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
@media screen { body { padding: 8mm; } }
"""


def of_lens(reads, text_title, address, paper):
    """The grids of the lens on one text.  reads: [(model's title, model, ids, lens, within)]."""
    asked = "".join(_strips(*one, answers=False) for one in reads)
    told = "".join(_strips(*one, answers=True) for one in reads)
    say = (
        "Each row is what the model would say next if it stopped there. Write your guess into every cell, "
        "then compare with the answers."
    )
    title = f"Logit lens: {text_title}"
    body = f"{_head(title, say, address)}{asked}<div class='answers'><h1>Answers</h1>{told}</div>"
    return _page(title, body, paper)


def _strips(title, model, ids, lens, within, answers):
    names = row_names(model.architecture.n_layer, within)
    places = range(len(ids))
    strips = [places[at : at + COLUMNS] for at in range(0, len(ids), COLUMNS)]
    said = escape(title)
    return "".join(_strip(said, model, ids, lens, names, s, answers) for s in strips)


def _strip(title, model, ids, lens, names, places, answers):
    label = model.tokenizer.label
    heads = "".join(
        f'<th scope="col"><span class="n">{t}</span><code>{escape(label(ids[t]))}</code></th>' for t in places
    )
    rest = "<td style='border-color: transparent'></td>" * (COLUMNS - len(places))
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(_cell(lens, label, r, t) if answers else "<td></td>" for t in places)
        + f"{rest}</tr>"
        for r, name in enumerate(names)
    )
    return f'<table><thead><tr><th scope="row">{title}</th>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def _cell(lens, label, r, t):
    top = int(lens.ids[r, t, 0])
    right = ' class="right"' if top == int(lens.next_ids[t]) else ""
    said = probability(float(lens.probabilities[r, t, 0]))
    return f"<td{right}><code>{escape(label(top))}</code><small>{said}</small></td>"


def of_lesson(lesson, links, expected, titles, paper):
    """A lesson: every state with its QR code and room for notes; what to expect stands on the last pages.

    links: the address of every state; expected: what is measured for it; titles: {page: its title}.
    """
    size = f"{counted(len(lesson.steps), 'state')}, {counted(lesson.minutes, 'minute')}"
    say = f"{size}. Scan a code to open its state."
    states = "".join(
        f'<section class="state"><div><h2>{n}. {escape(titles[step.page])}, {step.minutes} min</h2>'
        f"<p>{escape(step.show)}</p><p><b>{escape(step.ask)}</b></p>"
        f'<div class="lines"></div></div>{qr.image(link, "28mm")}</section>'
        for n, (step, link) in enumerate(zip(lesson.steps, links, strict=True), start=1)
    )
    told = "".join(
        f"<p><b>{n}. {escape(titles[step.page])}.</b> {escape(one)}</p>"
        for n, (step, one) in enumerate(zip(lesson.steps, expected, strict=True), start=1)
        if step.expect != "none"
    )
    body = f"{_head(lesson.title, say, None)}{states}<div class='answers'><h1>What to expect</h1>{told}</div>"
    return _page(lesson.title, body, paper)


def _head(title, say, address):
    back = qr.image(address, "28mm") if address else ""
    where = f'<p class="address">{escape(address)}</p>' if address else ""
    return f"<header><div><h1>{escape(title)}</h1><p>{escape(say)}</p>{where}</div>{back}</header>"


def _page(title, body, paper):
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f"<style>{_CSS % PAPERS[paper]}</style>\n<body>{body}</body>\n</html>\n"
    )
