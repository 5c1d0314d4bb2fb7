# Asks Express who is signed in. `cookie_header` is the header Cookie of the visitor.
import json
import urllib.request


def session_of(cookie_header, address="http://app:3000/auth/session"):
    """The session as the application shows it: {"user": {...}, "expires": ...}; None if nobody is signed in."""
    request = urllib.request.Request(address, headers={"cookie": cookie_header or ""})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.load(answer)
