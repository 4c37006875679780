"""A class in a room: who joined, what they guess, and what the one who opened it lets them see.

Kept in a database through SQLAlchemy, an SQLite file unless another address is set; knows neither
Streamlit nor any model.
"""

from rooms.store import Board, Rooms, Seat
from rooms.tables import Away, address

__all__ = ["Away", "Board", "Rooms", "Seat", "address"]
