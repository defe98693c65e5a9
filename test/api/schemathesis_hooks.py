import json

import schemathesis


@schemathesis.deserializer("application/x-ndjson")
def lines(context, response):
    """All lines of an answer; the document that the fuzzer reads describes them as a list."""
    return [json.loads(line) for line in response.content.decode("utf-8").splitlines()]
