"""Reads reports of `webfarer check` as other programs do.

Argument: the JSON Schema of SARIF. Reads pairs of a SARIF text and a JUnit text as JSON from stdin. Prints for each what the
schema finds wrong, and how many cases of each outcome a JUnit reader counts; null where it cannot read the text.
"""

import json
import sys

from jsonschema import Draft7Validator
from junitparser import Failure, JUnitXml, Skipped

with open(sys.argv[1], encoding="utf-8") as file:
    rules = json.load(file)
Draft7Validator.check_schema(rules)
validator = Draft7Validator(rules, format_checker=Draft7Validator.FORMAT_CHECKER)


def outcomes(text):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    try:
        suites = JUnitXml.fromstring(text.encode())
    except Exception:
        return None
    for suite in suites:
        for case in suite:
            kinds = {type(result) for result in case.result}
            kind = "failed" if Failure in kinds else "skipped" if Skipped in kinds else "passed"
            counts[kind] += 1
        assert suite.tests == sum(1 for _ in suite), "the suite counts its cases wrongly"
    return counts


def judged(sarif, junit):
    errors = validator.iter_errors(json.loads(sarif))
    return {
        "wrong": [f"{error.json_path}: {error.message[:200]}" for error in errors],
        "cases": outcomes(junit),
    }


print(json.dumps([judged(sarif, junit) for sarif, junit in json.load(sys.stdin)]))
