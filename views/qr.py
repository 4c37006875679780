"""QR codes, drawn here."""

from html import escape

import segno

QUIET = 4  # modules around it, as ISO/IEC 18004 asks for
LOW = 1_500  # bytes of an address from which on the code has less correction, and so larger modules


def image(address, size):
    """An address -> its QR code as HTML, dark on white in any scheme; "" where it is too long for one.

    size: its width as CSS says it.
    """
    try:
        code = segno.make(address, error="m" if len(address.encode()) < LOW else "l", micro=False)
    except segno.DataOverflowError:
        return ""
    uri = code.svg_data_uri(border=QUIET, dark="#000", light="#fff", omitsize=True)
    return f'<img class="qr" src="{uri}" alt="QR code of {escape(address)}" style="width: {size}">'
