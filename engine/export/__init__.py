"""Our models as files that other programs open: a folder for Hugging Face's libraries, and GGUF.

    python -m engine.export gpt-4 --to FOLDER

names.py has the weights under the names that other code gives them; huggingface.py writes the folder,
gguf_file.py the one file.  Nothing here needs transformers or torch.
"""

from engine.export.gguf_file import gguf_bytes, has_gguf, write_gguf
from engine.export.huggingface import folder_files, write_folder, zipped

__all__ = ["folder_files", "gguf_bytes", "has_gguf", "write_folder", "write_gguf", "zipped"]
