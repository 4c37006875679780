"""The laboratory's pages, driven without a browser."""

import pytest
from streamlit.testing.v1 import AppTest

from engine import experiments, length, measures, sweeps, weights
from ui import measuring, pace
from views import bars, leave_out, questions

ODD = ["", " ", "\x00\x07", "🦖👩‍👩‍👧 שלום", "<b>$x$</b> <|end|>", "a " * 2_000, "\u202e\ufeff"]


def opened(root, name, **address):
    at = AppTest.from_file(str(root / "app.py"), default_timeout=120)
    for key, value in address.items():
        at.query_params[key] = value
    at.run()
    at.switch_page(f"pages/{name}.py").run()
    assert not at.exception
    assert not at.error
    return at


def said(at):
    return " ".join(one.value for one in [*at.markdown, *at.caption, *at.info])


@pytest.fixture
def two_texts(monkeypatch):
    """Sweeps over two short texts, so that they end at once."""
    own_rows = measures.own_rows
    monkeypatch.setattr(measures, "own_rows", lambda model: [row[:12] for row in own_rows(model)[:2]])


@pytest.mark.parametrize("model", ["store", "gpt-1"])
@pytest.mark.parametrize("part", ["block", "attention", "feed-forward", "head"])
def test_measuring_shows_the_engines_own_figures(root, two_texts, model, part):
    at = opened(root, "leave_out", model=model, left_out=part)
    assert "Predict first" in said(at)
    at.button(key="measure").click().run()
    loaded = weights.load(model)
    texts = measures.own_rows(loaded)
    *_, (_, found) = sweeps.sweep(loaded, texts, [()], {})
    assert bars.perplexity(found[()].perplexity) in said(at)
    assert at.button(key="again")


@pytest.mark.parametrize("model", ["store", "gpt-1"])
def test_every_head_of_a_model_is_measured_into_a_map(root, two_texts, model):
    at = opened(root, "leave_out", model=model, left_out="heads", guess_head="1.2")
    assert "Without which one of these heads" in said(at)
    at.button(key="measure").click().run()
    assert not at.exception
    loaded = weights.load(model)
    tries = leave_out.tries(loaded, "heads")
    assert len(tries) == 1 + loaded.architecture.n_layer * loaded.architecture.n_head
    *_, (_, found) = sweeps.sweep(loaded, measures.own_rows(loaded), tries, {})
    drawn = " ".join(one.proto.body for one in at.get("html"))
    ours = {"products": "100 products", "stories": "40 stories"}[loaded.texts]
    caption = f"Perplexity of {loaded.title} over our {ours}, without one head at a time"
    assert leave_out.head_map(caption, tries, found, "1.2") in drawn
    assert "You named" in said(at)


def test_an_order_can_be_typed_instead(root, two_texts):
    at = opened(root, "leave_out", model="store")
    at.text_input[0].set_value("2 1 3 4").run()
    assert at.query_params["guess4"] in ("63,90,37,10", ["63,90,37,10"])
    at.text_input[0].set_value("2 2").run()
    assert "each of 1 to 4 once" in at.session_state["notices"][0]


def test_a_stopped_reading_waits_keeps_what_it_has_and_goes_on(root, monkeypatch):
    text = "A stopped reader."
    at = opened(root, "leave_out", model="gpt-1", over="one", text="own", own="Another text.")
    model = weights.load("gpt-1")
    ids = model.tokenizer.encode(text)
    jobs = measuring.readings(model, ids, [()])
    list(measuring.gather(jobs))
    at.session_state["stopped"] = f"gpt-1-block-1-{sweeps.fingerprint(ids)}"
    at.query_params["own"] = text
    at.run()
    assert "Stopped: reading the text, 1 of 2 done and kept." in said(at)
    assert "without block 1**, not read yet" in said(at)
    next(b for b in at.button if b.label == "Go on").click().run()
    assert not at.exception
    assert "The largest fall" in said(at)
    assert "not read yet" not in said(at)


@pytest.mark.parametrize("read", [0, 1])
def test_a_stop_on_depth_holds_until_the_reader_goes_on(root, read):
    text = f"Once Zorbin Plax, then Zorbin Plax, {read}."
    at = opened(root, "depth", model="gpt-1", text="own", own="Other words.")
    model = weights.load("gpt-1")
    ids = model.tokenizer.encode(text)
    if read:
        list(measuring.gather(measuring.readings(model, ids, [()])))
    measuring._known.pop((model.checksum, "heads"), None)
    at.session_state["stopped"] = f"depth-{sweeps.fingerprint(ids)}-gpt-1---"
    at.query_params["own"] = text
    at.run()
    assert not at.exception
    assert f"Stopped: reading the text, {read} of " in said(at)
    assert ("Stopped: scoring the heads, 0 of 1" in said(at)) == bool(read)
    assert "The proof." not in " ".join(one.proto.body for one in at.get("html"))
    next(b for b in at.button if b.label == "Go on").click().run()
    assert "The proof." in " ".join(one.proto.body for one in at.get("html"))


def test_another_head_is_drawn_and_named_in_the_link(root):
    at = opened(root, "depth", model="gpt-4", text="name")
    at.button(key="draw").click().run()
    assert not at.exception
    assert at.query_params["draw"] in ("1", ["1"])


def test_a_link_to_results_shows_them(root, two_texts):
    at = opened(root, "leave_out", model="store", look="store-block-1")
    assert "As trained, the perplexity is" in said(at)


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_token_by_token(root, text):
    at = opened(root, "leave_out", model="gpt-1", over="one", text="own", own=text)
    assert "Measured on" in [box.label for box in at.selectbox]


def test_what_takes_long_waits_to_be_asked_for_with_its_time(root, monkeypatch):
    monkeypatch.setattr(pace, "LONG", -1)
    monkeypatch.setattr(pace, "WORTH_TELLING", 0)
    at = opened(root, "depth", model="gpt-1", text="own", own="A Zorbin Plax met a Zorbin Plax twice.")
    assert "by the pace of a pass just made" in said(at)
    assert "when they come back" not in said(at)
    next(b for b in at.button if b.label == "Switch off every head in turn").click().run()
    assert "the pieces get" in said(at)
    assert "by the pace of a pass just made" not in said(at)
    for kind in ("block", "heads"):
        at = opened(root, "leave_out", model="gpt-1", over="one", left_out=kind, text="own", own="Once <b>")
        assert "by the pace of a pass just made" in said(at)
        next(b for b in at.button if b.label == "Read it without each part").click().run()
        assert "by the pace" not in said(at)
        assert not at.exception
    at = opened(root, "who_wrote_it", model="gpt-1", text="own", own="Once upon a time")
    next(b for b in at.button if b.label == "Leave out every part").click().run()
    assert not at.exception
    assert [b.label for b in at.button if b.label == "Leave out every part"] == []


@pytest.mark.parametrize("name", ["leave_out", "mismatch", "length", "depth", "checks", "questions"])
def test_forged_addresses_are_told_and_survived(root, name):
    at = opened(
        root, name, model="<b>", left_out="?", block="-1", head="9999999", over="x", look="<script>",
        wrong_base="7", wrong_epsilon="nan", question="0", guess4="1,2", guess1="a",
    )  # fmt: skip
    assert at.title[0].value


def test_a_mismatch_gets_its_verdict(root, two_texts):
    at = opened(root, "mismatch", model="store")
    at.button(key="measure").click().run()
    assert "As trained, the perplexity is" in said(at)
    model = weights.load("store")
    *_, (_, found) = sweeps.sweep(model, measures.own_rows(model), [()], {})
    assert bars.perplexity(found[()].perplexity) in said(at)


def test_the_beginning_goes_on_under_every_mismatch(root):
    at = opened(root, "mismatch", model="gpt-1", prompt="Once <b> upon")
    at.button(key="write").click().run()
    assert not at.exception
    written = " ".join(one.proto.body for one in at.get("html"))
    assert "no RoPE" in written
    assert "<b>" not in written


@pytest.mark.parametrize("text", ODD)
def test_depth_reads_odd_texts(root, text):
    opened(root, "depth", model="gpt-1", text="own", own=text)


def test_depth_says_what_each_model_gave(root):
    at = opened(root, "depth", model="gpt-1", text="name")
    assert "Zorbin" in said(at)
    assert "The proof." in " ".join(one.proto.body for one in at.get("html"))
    at.button(key="invent").click().run()
    assert not at.exception
    assert at.query_params["text"] in ("own", ["own"])


def test_the_curve_past_the_training_length_comes_with_its_words(root, monkeypatch):
    loss_by_place = length.loss_by_place
    monkeypatch.setattr(length, "loss_by_place", lambda model, *_: loss_by_place(model, 2, 1))
    at = opened(root, "length", model="gpt-1")
    assert "2,048" in said(at)
    at.button(key="measure").click().run()
    assert not at.exception
    assert "Up to position 512 the loss is" in said(at)


@pytest.mark.parametrize("model", ["gpt-1", "store"])
def test_all_checks_run_and_none_is_red(root, model):
    at = opened(root, "checks", model=model)
    at.button(key="check").click().run()
    listed = " ".join(one.proto.body for one in at.get("html"))
    assert "holds" in listed
    assert "does not hold" not in listed
    assert "that ran hold" in said(at)


def test_an_answer_is_judged_and_only_the_first_one_counts(root):
    at = opened(root, "questions", question="1")
    right = "Nothing."
    options = at.radio[0].options
    wrong = next(i for i, text in enumerate(options) if text != right)
    at.radio[0].set_value(wrong).run()
    at.button(key="answer").click().run()
    assert "0 of the 1 " in said(at)
    at.radio[0].set_value(options.index(right)).run()
    at.button(key="answer").click().run()
    assert "Right:" in said(at)
    assert "0 of the 1 " in said(at)


def test_two_readers_measure_once(monkeypatch):
    model = weights.load("gpt-1")
    calls = []
    runner = experiments.runner

    def counting(*arguments):
        calls.append(arguments)
        return runner(*arguments)

    monkeypatch.setattr(sweeps, "runner", counting)
    texts, tries = [[0, 5, 6, 7, 8]], [(experiments.Change("base", value=123.0),)]
    first, second = (measuring.sweep(model, texts, tries) for _ in range(2))
    *_, (share, found) = first
    *_, (share_again, found_again) = second
    assert (share, share_again, len(calls)) == (1, 1, 1)
    assert found == found_again


def test_a_reader_who_stops_lets_the_next_one_on():
    model = weights.load("gpt-1")
    texts, tries = [[0, 5, 6], [0, 7, 8]], [(experiments.Change("base", value=321.0),)]
    stopped = measuring.sweep(model, texts, tries)
    next(stopped)
    waiting = measuring.sweep(model, texts, tries)
    assert next(waiting) == (0, {})  # the other one is at it
    stopped.close()
    *_, (share, found) = waiting
    assert share == 1
    assert len(found) == 1


def test_what_was_gathered_before_a_stop_is_not_made_again():
    model = weights.load("gpt-1")
    tries = [(), (experiments.Change("block", 0),), (experiments.Change("no-rope"),)]
    jobs = measuring.readings(model, model.tokenizer.encode("Gathered in two goes."), tries)
    stopped = measuring.gather(jobs)
    assert next(stopped)[0] == pytest.approx(1 / 3)
    stopped.close()
    assert list(measuring.recall(jobs)) == tries[:1]
    first = measuring.recall(jobs)[()]
    steps = list(measuring.gather(jobs))
    assert [share for share, _ in steps] == pytest.approx([2 / 3, 1])
    assert steps[-1][1][()] is first
    assert next(measuring.gather(jobs))[0] == 1


@pytest.mark.parametrize("name", ["depth", "leave_out", "mismatch", "length", "checks"])
def test_every_experiment_has_its_questions(root, name):
    at = opened(root, name)
    about = questions.about(name)
    assert about
    links = [link.proto for link in at.get("page_link")]
    for number, one in about:
        assert any(
            link.query_string == f"question={number}" and one.question in link.label.replace("\\", "")
            for link in links
        )
