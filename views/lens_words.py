"""The sentences about the logit lens, chosen and filled in by what was measured."""

from views.numbers import whole


def cut(model, ids, lost):
    """What is said when a text was too long: how long, the limit, and the words it stops at."""
    end = model.tokenizer.decode(ids[-8:]).strip()
    total, limit = whole(len(ids) + lost), whole(len(ids))
    return (
        f"The text has {total} tokens with the document marker; {model.title} reads {limit}. "
        f"It is cut after “… {end}”: the last {whole(lost)} are not shown."
    )
