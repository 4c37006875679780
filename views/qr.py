"""QR codes, drawn here."""

from html import escape

import segno

QUIET = 4  # modules around it, as ISO/IEC 18004 asks for
LOW = 1_500  # bytes of an address from which on the code has less correction, and so larger modules


def uri(address):
    """An address -> its QR code as a data: URI, dark on white in any scheme; "" where it is too long."""
    try:
        code = segno.make(address, error="m" if len(address.encode()) < LOW else "l", micro=False)
    except segno.DataOverflowError:
        return ""
    return code.svg_data_uri(border=QUIET, dark="#000", light="#fff", omitsize=True)


def image(address, size):
    """The same as HTML; "" where it is too long.  size: its width as CSS says it."""
    made = uri(address)
    said = f"QR code of {escape(address)}"
    return made and f'<img class="qr" src="{made}" alt="{said}" style="width: {size}">'
