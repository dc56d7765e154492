"""
Days and ages in words, as prompts show them. All arithmetic is on the calendar of the clock a moment is given on; it
never asks what time it is.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

# Not strftime: the names must not follow the process's locale.
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAYS_PER_MONTH = 30.44


def day_label(day: date) -> str:
    """`2026-12-08 Tue`"""
    return f"{day:%Y-%m-%d} {_WEEKDAYS[day.weekday()]}"


def ago(moment: datetime, now: datetime) -> str:
    """
    How long ago `moment` was on the clock of `now` (both aware), coarser the longer it is: `3 hours ago`, `8 months
    ago`.
    """
    elapsed = now - moment
    days = (now.date() - moment.astimezone(now.tzinfo).date()).days
    if elapsed < timedelta(hours=1):
        return "just now"
    if days == 0:
        return f"{_counted(int(elapsed / timedelta(hours=1)), 'hour')} ago"
    if days == 1:
        return "yesterday"
    if days < 14:
        return f"{_counted(days, 'day')} ago"
    if days < 60:
        return f"{_counted(days // 7, 'week')} ago"
    if days < 730:
        return f"{_counted(int(days / _DAYS_PER_MONTH), 'month')} ago"
    return f"{_counted(days // 365, 'year')} ago"


def age(born: date, today: date) -> str:
    """
    An age in whole years, below two years in months, below one month in days: `3 years`, `7 months`. Empty before
    birth.
    """
    if today < born:
        return ""
    months = (today.year - born.year) * 12 + today.month - born.month - (today.day < born.day)
    if months >= 24:
        return _counted(months // 12, "year")
    return _counted(months, "month") if months else _counted((today - born).days, "day")


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
