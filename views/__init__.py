"""Engine results turned into pictures and words; needs neither Streamlit nor torch."""
