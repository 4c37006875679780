"""Nicknames and guesses of every kind that phones may send; CONTRIBUTING names the kinds."""

KINDS = {
    "nothing at all": ["", " ", "\n", "\u200b\u200b", "\ufeff", "\u00a0"],
    "plain": ["Ada", "   a   b   ", "dog.", "42"],
    "far too long": ["z" * 500, "a" * 9000, "word " * 200, "é" * 500],
    "several lines and tabs": ["line\nline", "a\r\nb", "\tzq\t"],
    "right to left": ["שלום", "مرحبا", "\u202ezq", "\u2067zq", "abc \u05d0\u05d1 def"],
    "emoji": ["🦖", "👩\u200d👩\u200d👧", "🇫🇷", "🦖" * 40],
    "marks that climb": ["Z" + "\u0300" * 90 + "algo", "\u0300x", "e\u0301"],
    "control characters": ["\x00zq", "\x07\x1b[31m", "\x7f"],
    "lone surrogates": ["\ud800", "zq\udfff"],
    "markup": ["<b>zq</b>", "<script>zq</script>", "&lt;i&gt;", '" onload="zq', "<!--zq"],
    "Markdown and formulas": ["$zq$", "](zq)", "`zq`", ":red[zq]", "**zq**", "![](zq)", "# zq"],
    "special pieces": ["<|end|>", "<|end|>zq"],
    "commands": ["'; DROP TABLE voters; --", "../../etc/passwd", "%s {0}"],
    "look-alikes": ["\u0410\u0434\u0430", "\ufb01", "ﾊﾝ", "\u2126"],
}
ALL = [text for texts in KINDS.values() for text in texts]
EMPTY = KINDS["nothing at all"]
