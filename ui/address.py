"""The address under which others reach this server."""

import ipaddress
import os
import socket
from urllib.parse import urlsplit

import streamlit as st

OUTER = (
    "EXPLORER_ADDRESS"  # the environment's variable that holds it, such as https://explorer.school.example
)
ALONE = (
    "This server listens on this computer alone, so that no other device can open the address. Start it with "
    "`scripts/run --server.address 0.0.0.0`, or put its outer address into the environment as "
    f"`{OUTER}`."
)


def outer():
    """(the server's address as others reach it, without a slash at the end; whether they can)."""
    told = os.environ.get(OUTER, "").strip().rstrip("/")
    if told:
        return told, True
    here = urlsplit(st.context.url or f"http://localhost:{st.get_option('server.port')}")
    alone = is_loopback(st.get_option("server.address") or "")
    host = here.hostname or "localhost"
    if is_loopback(host) and not alone:
        host = own_address() or host
    port = f":{here.port}" if here.port else ""
    shown = f"[{host}]" if ":" in host else host
    path = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{here.scheme}://{shown}{port}" + (f"/{path}" if path else ""), not alone


def is_loopback(host):
    """Whether a host's name or number means the computer that says it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def own_address():
    """This computer's number in its network, or None.  Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: it only chooses the way out
            found = probe.getsockname()[0]
        except OSError:
            return None
    return None if is_loopback(found) or found == "0.0.0.0" else found
