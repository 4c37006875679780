"""All that talks to Streamlit."""
