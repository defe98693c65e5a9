"""Reads pages as lines of JSON ({"html", "base"}) and answers what extruct finds on each, as lines of JSON."""

import json
import sys

from extruct.jsonld import JsonLdExtractor
from extruct.opengraph import OpenGraphExtractor
from extruct.utils import parse_html
from extruct.w3cmicrodata import MicrodataExtractor


def attempt(read):
    try:
        return {"found": read()}
    except Exception as error:  # what it makes of a broken page is part of the answer
        return {"error": f"{type(error).__name__}: {error}"[:200]}


def plain(item):
    """An item without its element, but with what the element says about where it belongs."""
    if isinstance(item, list):
        return [plain(each) for each in item]
    if not isinstance(item, dict):
        return item
    made = {key: plain(value) for key, value in item.items() if key != "htmlNode"}
    if "htmlNode" in item:
        made["isProperty"] = item["htmlNode"].get("itemprop") is not None
    return made


def metas(tree, attribute, where=""):
    found = tree.xpath(f"//meta[@{attribute} and @content]{where}")
    return [[meta.get(attribute), meta.get("content")] for meta in found]


def answer(page):
    tree = parse_html(page["html"].encode("utf-8"), encoding="UTF-8")
    json_ld = JsonLdExtractor()
    microdata = MicrodataExtractor(add_html_node=True)
    return {
        # One script at a time: a broken one would hide all others of its page.
        "jsonLd": [attempt(lambda: list(json_ld._extract_items(node))) for node in json_ld._xp_jsonld(tree)],
        "openGraph": attempt(lambda: list(OpenGraphExtractor().extract_items(tree))),
        "outsideHead": metas(tree, "property", "[not(parent::head)]"),
        "named": metas(tree, "name"),
        "microdata": attempt(lambda: plain(microdata.extract_items(tree, base_url=page["base"]))),
    }


for line in sys.stdin:
    try:
        print(json.dumps(answer(json.loads(line))), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"[:200]}), flush=True)
