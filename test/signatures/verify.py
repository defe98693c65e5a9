"""Judges signed requests with another implementation of RFC 9421, by keys from the published directory.

Reads one JSON object from stdin: the directory (origin, port on this machine, authority to trust), and requests with the
moment each arrived. Prints one JSON object: how many verify, which do not, and how many of the changed ones are refused.
"""

import base64
import datetime
import hashlib
import http.client
import json
import socket
import ssl
import sys
import types

from cryptography.hazmat.primitives.asymmetric import ed25519
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms, signatures

COVERED = ('"@authority"', '"signature-agent";key="sig1"')
LONGEST_SECONDS = 300


class Clock(datetime.datetime):
    """Requests are judged by the time they arrived at, not by the time the crawl took."""

    at = 0.0

    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(cls.at, tz)


signatures.datetime = types.SimpleNamespace(
    datetime=Clock, timedelta=datetime.timedelta, timezone=datetime.timezone
)


class Keys(HTTPSignatureKeyResolver):
    def __init__(self, keys):
        self.keys = keys

    def resolve_public_key(self, key_id):
        return self.keys[key_id]

    def resolve_private_key(self, key_id):
        raise KeyError(key_id)


class Message:
    def __init__(self, headers, method=None, url=None):
        self.headers = headers
        if method is not None:
            self.method = method
            self.url = url


class Lines(dict):
    """Header lines in order, repeats and all."""

    def __init__(self, pairs):
        super().__init__(pairs)
        self.pairs = [(name, value) for name, value in pairs]

    def items(self):
        return self.pairs


def thumbprint(jwk):
    members = json.dumps({k: jwk[k] for k in ("crv", "kty", "x")}, separators=(",", ":"))
    return base64.urlsafe_b64encode(hashlib.sha256(members.encode()).digest()).rstrip(b"=").decode()


def public_key(jwk):
    x = jwk["x"] + "=" * (-len(jwk["x"]) % 4)
    return ed25519.Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(x))


def fetch_directory(directory):
    """Over TLS, as a verifier would, but for the name server."""
    name, port = directory["origin"].removeprefix("https://").split(":")
    context = ssl.create_default_context(cafile=directory["ca"])
    connection = http.client.HTTPSConnection(name, int(port))
    plain = socket.create_connection(("127.0.0.1", int(port)))
    connection.sock = context.wrap_socket(plain, server_hostname=name)
    path = "/.well-known/http-message-signatures-directory"
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, answer.status
    assert answer.getheader("content-type") == "application/http-message-signatures-directory+json"
    response = Message(Lines(answer.getheaders()))
    response.status_code = 200
    response.request = Message(Lines([]), "GET", directory["origin"] + path)
    keys = {}
    for jwk in json.loads(body)["keys"]:
        assert jwk["kid"] == thumbprint(jwk), "the key is not named by its thumbprint"
        keys[jwk["kid"]] = public_key(jwk)
    Clock.at = datetime.datetime.now().timestamp()
    results = verifier(keys).verify(
        response,
        max_age=None,
        expect_tag="http-message-signatures-directory",
        require_components=('"@authority";req', '"content-digest"'),
        body=body,
    )
    assert {result.parameters["keyid"] for result in results} == set(keys)
    return keys


def verifier(keys):
    return HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=Keys(keys))


def verify(request, keys, origin, url=None, later=0.0):
    """Throws where the request was not signed as the draft says."""
    Clock.at = request["arrivedMs"] / 1000 + later
    message = Message(Lines(request["headers"]), request["method"], url or request["url"])
    (result,) = verifier(keys).verify(message, expect_tag="web-bot-auth", require_components=COVERED)
    parameters = result.parameters
    assert result.covered_components['"signature-agent";key="sig1"'] == f'"{origin}"', "another agent"
    assert 0 < parameters["expires"] - parameters["created"] <= LONGEST_SECONDS, "valid for too long"
    return parameters["nonce"]


def refused(check):
    try:
        check()
    except Exception:
        return 1
    return 0


def main():
    given = json.load(sys.stdin)
    origin = given["directory"]["origin"]
    keys = fetch_directory(given["directory"])
    requests = given["requests"]
    nonces, wrong = set(), []
    for request in requests:
        try:
            nonces.add(verify(request, keys, origin))
        except Exception as error:
            wrong.append(f"{request['method']} {request['url']}: {error!r}")
    others = {key_id: ed25519.Ed25519PrivateKey.generate().public_key() for key_id in keys}
    sample = requests[:: max(1, len(requests) // given["controls"])]
    controls = {"authority": 0, "expired": 0, "early": 0, "otherKey": 0, "otherAgent": 0, "unsigned": 0}
    for request in sample:
        elsewhere = request["url"].replace("://", "://elsewhere.", 1)
        unsigned = [line for line in request["headers"] if not line[0].lower().startswith("signature")]
        tries = {
            "authority": lambda: verify(request, keys, origin, url=elsewhere),
            "expired": lambda: verify(request, keys, origin, later=3600.0),
            "early": lambda: verify(request, keys, origin, later=-3600.0),
            "otherKey": lambda: verify(request, others, origin),
            "otherAgent": lambda: verify(
                {
                    **request,
                    "headers": [
                        [name, value.replace(origin, "https://other.test")] for name, value in request["headers"]
                    ],
                },
                keys,
                "https://other.test",
            ),
            "unsigned": lambda: verify({**request, "headers": unsigned}, keys, origin),
        }
        for name, check in tries.items():
            controls[name] += refused(check)
    print(
        json.dumps(
            {
                "verified": len(requests) - len(wrong),
                "nonces": len(nonces),
                "wrong": wrong[:20],
                "wrongCount": len(wrong),
                "controls": len(sample),
                "refused": controls,
            }
        )
    )


main()
