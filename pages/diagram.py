from ui import shell

shell.guard()
from ui import page  # noqa: E402

page.head("Diagram", "")
