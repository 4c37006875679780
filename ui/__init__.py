"""All that talks to Streamlit."""

import os

# One thread a product of matrices: with two, readers who compute at the same time make each other wait
# (here up to eight times as long).  Read when NumPy is first imported, so it is set before anything else.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
