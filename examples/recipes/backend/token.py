# Reads the session token by itself. Allow exactly these two algorithms: a reader that takes any `alg` can be made to take a key
# of the sender's choice.
import hashlib
import hmac
import json
import time

from jwcrypto import jwe, jwk
from jwcrypto.common import JWException, base64url_encode


def key_of(secret, name):
    info = f"Auth.js Generated Encryption Key ({name})".encode()
    pseudorandom = hmac.new(name.encode(), secret.encode(), hashlib.sha256).digest()
    block, key = b"", b""
    for number in (1, 2):
        block = hmac.new(pseudorandom, block + info + bytes([number]), hashlib.sha256).digest()
        key += block
    return jwk.JWK(kty="oct", k=base64url_encode(key))


def claims_of(cookies, secret, is_https=True):
    """The claims of a session token; None for every token that does not count."""
    name = "__Secure-authjs.session-token" if is_https else "authjs.session-token"
    token, number = cookies.get(name, ""), 0
    while not cookies.get(name) and f"{name}.{number}" in cookies:
        token, number = token + cookies[f"{name}.{number}"], number + 1
    reader = jwe.JWE(algs=["dir", "A256CBC-HS512"])
    try:
        reader.deserialize(token, key_of(secret, name))
        claims = json.loads(reader.payload)
        now = time.time()
        if claims["exp"] <= now or claims.get("nbf", 0) > now + 60:
            return None
    except (JWException, ValueError, KeyError, TypeError):
        return None
    # It belongs to Latchkey, and no browser may see it.
    claims.pop("latchkey", None)
    return claims
