import json, time
import pytest
from tests.conversation.talking import Talk
from ella.memory.models import ExtractionItem, SceneItem
from ledger.models import Fact, Promise
from collections import Counter
pytestmark = pytest.mark.django_db

@pytest.mark.parametrize("n,limit",[(0,211),(2,120)])
def test_real(talk, standin, settings, n, limit):
    settings.BUDGET_PERSON_DAY_USD = 1000
    out=open(f"/tmp/real/out{n}.txt","w"); c=0
    for l in open(f"/work/shared/data/recall/conversation_{n}.jsonl"):
        d=json.loads(l)
        if d["from"]!="person": continue
        c+=1
        if c>limit: break
        a=talk.say(d["text"]); talk.remember()
        print(d["ref"],"P:",d["text"],"\n   E:",a["reply"]["text"] if "reply" in a else a,file=out)
    for k,v in Counter((i.kind,i.outcome,i.reason) for i in ExtractionItem.objects.all()).items(): print(k,v,file=out)
    for i in ExtractionItem.objects.filter(outcome="refused"): print("REFUSED",i.reason,i.proposed,file=out)
    for f in Fact.objects.exclude(tier="canon"): print("FACT",f.tier,f.status,f.subject,f.predicate,f.object,f.event_at,f.event_words,file=out)
    for f in Promise.objects.all(): print("PROMISE",f.from_who,f.to_who,f.what,f.due_day,f.due_words,file=out)
    for f in SceneItem.objects.all(): print("SCENE",f.thing,f.state,f.ended_at is None,file=out)
