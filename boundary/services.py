from boundary.models import BoundaryFire
def record_fire(*, actor, owner_id, turn_id, direction, verdict, text, reply):
    return BoundaryFire.objects.create(owner_id=owner_id, turn_id=turn_id, direction=direction, category=verdict.category, soft=verdict.soft, rules=list(verdict.rules), text=text, reply_text=reply.text if reply else "", reply_text_id=reply.text_id if reply else "")
