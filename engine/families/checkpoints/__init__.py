"""Checkpoints of others, put beside the app by whoever starts it, behind the one interface.

layouts.py says where each family keeps its parts, shelf.py what lies in a folder and why it can't be opened,
opened.py is an opened one.  Nothing here reads a pickle, runs code that comes with a checkpoint, or asks the
network.
"""
