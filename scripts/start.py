"""`streamlit run app.py`, which a Ctrl-C ends without a traceback from the first moment on.

The server takes Ctrl-C into its own hands once it listens, and hands it on when it has ended in order.  Until
then, for a second or two, nothing has begun that would have to be ended so.
"""

import os
import signal
import sys


def stop(*_):
    """End at once, with the status of a program that Ctrl-C has ended."""
    runtime = sys.modules.get("streamlit.runtime")
    exists = getattr(runtime, "exists", lambda: False)  # half imported, it has none yet
    served = exists()
    os.write(2, b"\nStopped.\n" if served else b"\nStopped before the server was up.\n")
    os._exit(130)


signal.signal(signal.SIGINT, stop)

from streamlit.web import cli

sys.path[0] = os.getcwd()  # as `python -m streamlit` has it
sys.argv = ["streamlit", "run", "app.py", *sys.argv[1:]]
cli.main()
