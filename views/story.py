"""What is said where a model writes a story."""

NOTICE = (
    "The model never sees a whole story at once: it draws one token, adds it to the text, reads the text "
    "again and draws the next. The seed fixes the draws, so that the same settings write the same text. At "
    "temperature 0 it takes the likeliest token each time."
)
QUESTIONS = [
    (
        "Write twice at temperature 0, with two seeds. What do you expect?",
        "The same text. Where always the likeliest token is taken, nothing is drawn, so the seed has nothing "
        "to decide.",
    ),
    (
        "Raise the temperature to 2. Why do the sentences fall apart?",
        "The scores are divided by the temperature before the softmax, so unlikely tokens come nearer to the "
        "likely ones. One odd token is drawn, and from then on the model continues a text that has it.",
    ),
]
