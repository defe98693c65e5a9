"""When schedules are due, worked out without any of the product's code.

Walks through time in steps of 15 minutes and asks Python's zoneinfo what the clock on the wall shows. A question on
stdin, an answer on stdout, both JSON; times in milliseconds since 1970.
"""

import calendar
import json
import sys
from functools import lru_cache
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

STEP = 15 * 60
DAY = 86400


def wall(seconds, zone):
    return datetime.fromtimestamp(seconds, timezone.utc).astimezone(zone).replace(tzinfo=None)


def transitions(question):
    found = []
    for name in question["zones"]:
        zone = ZoneInfo(name)
        before = None
        for at in range(question["fromMs"] // 1000, question["toMs"] // 1000, STEP):
            offset = datetime.fromtimestamp(at, timezone.utc).astimezone(zone).utcoffset()
            if before is not None and offset != before:
                found.append({"zone": name, "atMs": at * 1000, "forward": offset > before})
            before = offset
    return found


def field(text, low, high):
    values = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        if span == "*":
            first, last = low, high
        elif "-" in span:
            first, last = (int(n) for n in span.split("-"))
        else:
            first = last = int(span)
        values.update(range(first, last + 1, int(step or 1)))
    return values


def cron_matcher(pattern):
    minute, hour, day, month, weekday = pattern.split()
    minutes, hours, months = field(minute, 0, 59), field(hour, 0, 23), field(month, 1, 12)
    days, weekdays = field(day, 1, 31), {n % 7 for n in field(weekday, 0, 7)}

    def matches(local):
        on_day, on_weekday = local.day in days, local.isoweekday() % 7 in weekdays
        if day != "*" and weekday != "*":
            fits = on_day or on_weekday
        else:
            fits = on_day and on_weekday
        return fits and local.month in months and local.hour in hours and local.minute in minutes

    return matches


def moved(local, count, unit):
    if unit in ("days", "weeks"):
        return local + timedelta(days=count * (7 if unit == "weeks" else 1))
    month = local.month - 1 + count * (12 if unit == "years" else 1)
    year, month = local.year + month // 12, month % 12 + 1
    return local.replace(year=year, month=month, day=min(local.day, calendar.monthrange(year, month)[1]))


def interval_matcher(case, zone):
    anchor = wall(case["anchorMs"] / 1000, zone)
    end = wall(case["toMs"] / 1000 + DAY, zone)
    wanted, count = set(), 0
    while True:
        local = moved(anchor, count * case["every"], case["unit"])
        if local > end:
            return lambda at: at in wanted
        wanted.add(local)
        count += 1


def elapsed(case):
    length = case["every"] * {"minutes": 60_000, "hours": 3_600_000}[case["unit"]]
    at = case["anchorMs"]
    found = []
    while at <= case["toMs"]:
        if at > case["fromMs"]:
            found.append(at)
        at += length
    return found


@lru_cache(maxsize=8)
def walk(name, from_ms, to_ms):
    """From a day before, to know which local times have come already."""
    zone = ZoneInfo(name)
    begin = from_ms // 1000 - DAY
    return [(at, wall(at, zone)) for at in range(begin - begin % STEP, to_ms // 1000 + 1, STEP)]


def instants(case):
    if case.get("unit") in ("minutes", "hours"):
        return elapsed(case)
    zone = ZoneInfo(case["zone"])
    matches = cron_matcher(case["cron"]) if "cron" in case else interval_matcher(case, zone)
    each_coming = "cron" in case and case["cron"].split()[1].startswith("*")
    found, seen, last = [], set(), None
    for at, local in walk(case["zone"], case["fromMs"], case["toMs"]):
        due = matches(local) and (each_coming or local not in seen)
        if last is not None and not each_coming:
            skipped = last + timedelta(seconds=STEP)
            while skipped < local:
                due = due or matches(skipped)
                skipped += timedelta(seconds=STEP)
        seen.add(local)
        last = local
        if due and at * 1000 > case["fromMs"]:
            found.append(at * 1000)
    return found


question = json.load(sys.stdin)
if "cases" in question:
    json.dump([instants(case) for case in question["cases"]], sys.stdout)
else:
    json.dump(transitions(question), sys.stdout)
