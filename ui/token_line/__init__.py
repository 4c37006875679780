"""A text whose tokens can be tapped."""

from ui import choice, sent, web

_component = web.component("token_line")
KEY = "token-line"


def show(pieces, chosen, label, on_choice):
    """Draw the tokens, one of them chosen.  label: what choosing does; on_choice(the new one's place)."""

    def tapped():
        new = sent.read(sent.reported(KEY, "token"), choice.number(0, len(pieces) - 1))
        if new is not None:
            on_choice(new)

    data = {"pieces": list(pieces), "chosen": chosen, "label": label}
    _component(data=data, key=KEY, on_token_change=tapped)
