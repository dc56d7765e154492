"""
The deterministic reader behind the stand-in model server: it answers from the words of one request and from nothing
else.

It must never reach for hidden knowledge: no database, no clock, no randomness, no import from the rest of ella. What
a prompt does not say, it does not know, so a
demo shows real memory and a missing fact shows as a wrong reply.
"""
