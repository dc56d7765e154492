"""
The path of one message, once `services.open_turn` has stored it. `answer_turn` and `_answer` read as the path does,
each step one function named as the house names it:

    open_turn → classify → compile → ask → classify, sentence by sentence → settle_turn → remember

Database steps are short and run in worker threads; while the model speaks the turn holds no connection and no
transaction. Whatever happens, the person's message is kept and the same `client_id` goes on from there.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DatabaseError

from boundary.classify import Direction, Verdict, classify
from boundary.sentences import SentenceStream
from ella.clock import utc_now
from ella.context.preparing import PreparedPrompt, compile
from ella.conversation.at_hand import Spoken, TurnAtHand, take_at_hand
from ella.conversation.events import Event, EventName
from ella.conversation.results import opened_as_data, result_as_data
from ella.conversation.services import (
    Claim,
    Claimed,
    OpenedTurn,
    TurnTakenOver,
    claim_turn,
    give_up_waiting,
    renew_lease,
)
from ella.conversation.settling import (
    fail_turn,
    pay_for_nothing,
    settle_from_table,
    settle_over_budget,
    settle_turn,
    table_reply,
)
from ella.llm.errors import BudgetExceeded, ErrorCode, LayoutNotAccepted, ModelError
from ella.llm.gateway import stream_reply
from ella.memory.nudge import remember
from ella.threads import in_database

log = structlog.get_logger(__name__)

_FIRST_LOOK_S = 0.02
_LONGEST_LOOK_S = 0.4


async def answer_turn(opened: OpenedTurn) -> AsyncIterator[Event]:
    """
    Answer a turn that `open_turn` has opened, telling what happens as it happens; the last event is `done` or `error`.

    A turn that was answered before is told again without asking the model. A model that fails is not raised but told.
    """
    turn_id = opened.turn_id
    yield Event(EventName.TURN, await in_database(opened_as_data, turn_id))

    spoken = Spoken()
    claimed = opened.claimed or await _wait_for_its_place(turn_id)
    while claimed.claim is Claim.MINE:
        try:
            turn = await in_database(take_at_hand, turn_id, claimed.attempt)
            async with _kept_alive(turn_id, claimed.attempt), asyncio.timeout(settings.TURN_TIME_LIMIT_S):
                async for event in _answer(turn, spoken):
                    yield event
            break
        except TurnTakenOver:
            log.warning("turn_taken_over", turn=str(turn_id), attempt=claimed.attempt)
            await in_database(pay_for_nothing, spoken)
            spoken = Spoken()
            # Told by whoever has it now; ours again if that one dies too.
            claimed = await _wait_for_its_place(turn_id)
        except Exception as error:
            # Whatever it was: the person is told, and the same client_id goes on from here.
            await in_database(fail_turn, turn_id, claimed.attempt, spoken, _failure(error))
            break
    if claimed.claim is Claim.WAIT:
        await in_database(give_up_waiting, turn_id=turn_id)

    result = await in_database(result_as_data, turn_id)
    if claimed.claim is Claim.DONE:
        # Answered before, or by another runner meanwhile: whoever listens here hears the whole of it.
        yield Event(EventName.REPLACE, {"text": result["reply"]["text"]})
    yield Event(EventName.ERROR if "errors" in result else EventName.DONE, result)
    if spoken.to_be_read_in is not None:
        # After the person has their answer, and in no database thread: a broker may be slow to be reached.
        await asyncio.to_thread(remember, spoken.to_be_read_in)


async def _answer(turn: TurnAtHand, spoken: Spoken) -> AsyncIterator[Event]:
    spoken.inbound = inbound = classify(turn.text, Direction.INBOUND)
    if inbound.fired:
        reply = await in_database(settle_from_table, turn, inbound)
        yield Event(EventName.DELTA, {"text": reply})
        return
    try:
        async for event in _speak(turn, inbound, spoken):
            yield event
    except BudgetExceeded:
        reply = await in_database(settle_over_budget, turn, inbound)
        yield Event(EventName.DELTA, {"text": reply})
    else:
        await in_database(settle_turn, turn, inbound, spoken)
    if spoken.drift is None:
        spoken.to_be_read_in = turn.conversation_id


async def _speak(turn: TurnAtHand, inbound: Verdict, spoken: Spoken) -> AsyncIterator[Event]:
    """Compile, ask, and judge. A model that refuses the layout it was sent is asked once more in the other one."""
    prompt = await in_database(compile, turn, inbound)
    spoken.call_id = prompt.call_id
    try:
        async for event in ask(turn, prompt, spoken):
            yield event
    except LayoutNotAccepted as refusal:
        prompt = await in_database(compile, turn, inbound, instead_of=(prompt.call_id, refusal))
        spoken.call_id = prompt.call_id
        async for event in ask(turn, prompt, spoken):
            yield event


async def ask(turn: TurnAtHand, prompt: PreparedPrompt, spoken: Spoken) -> AsyncIterator[Event]:
    """
    Stream the model's reply and let each sentence pass only after it was judged.

    A sentence that is stopped replaces everything said so far by words a person wrote. The stream is still read to
    its end, unseen: its usage is owed, and moderators see what it would have said.
    """
    sentences = SentenceStream()
    async with stream_reply(prompt.payload) as stream:
        try:
            async for piece in stream:
                for sentence in sentences.feed(piece):
                    if event := _judged(turn, sentence, spoken):
                        yield event
        finally:
            # Also when it broke off or ran out of time: what was generated by then is owed.
            spoken.outcome = stream.outcome
    if rest := sentences.flush():
        # What a token limit cut in the middle of a sentence is dropped, unless it is all there is.
        if spoken.outcome.truncated and spoken.written:
            spoken.written += rest
        elif event := _judged(turn, rest, spoken):
            yield event


def _judged(turn: TurnAtHand, sentence: str, spoken: Spoken) -> Event | None:
    spoken.written += sentence
    if spoken.drift is not None:
        return None
    outbound = classify(sentence, Direction.OUTBOUND, context=spoken.text)
    if outbound.fired:
        spoken.drift = outbound
        spoken.replacement = table_reply(turn, outbound, Direction.OUTBOUND)
        return Event(EventName.REPLACE, {"text": spoken.replacement.text})
    spoken.text += sentence
    return Event(EventName.DELTA, {"text": sentence})


async def _wait_for_its_place(turn_id: UUID) -> Claimed:
    """Look until this turn is ours, settled, or the wait is over. Between two looks nothing is held."""
    pause = _FIRST_LOOK_S
    deadline = asyncio.get_running_loop().time() + settings.TURN_WAIT_LIMIT_S
    while True:
        claimed = await in_database(claim_turn, turn_id=turn_id, now=utc_now())
        if claimed.claim is not Claim.WAIT or asyncio.get_running_loop().time() > deadline:
            return claimed
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_LOOK_S)


@contextlib.asynccontextmanager
async def _kept_alive(turn_id: UUID, attempt: int) -> AsyncIterator[None]:
    """
    Renew the turn's lease while its runner lives, so that a slow model is not taken for a dead process.

    Raises TurnTakenOver as soon as a renewal tells that another runner has it: what is still streaming is then of no
    use to anybody.
    """
    runner = asyncio.current_task()
    taken_over = False

    async def renew() -> None:
        nonlocal taken_over
        while True:
            await asyncio.sleep(settings.TURN_LEASE_S / 3)
            try:
                if await in_database(renew_lease, turn_id=turn_id, attempt=attempt, now=utc_now()):
                    continue
            except DatabaseError:
                # The next one may succeed; the lease outlives two that do not.
                log.warning("lease_not_renewed", turn=str(turn_id), exc_info=True)
                continue
            taken_over = True
            if runner is not None:
                runner.cancel()
            return

    renewing = asyncio.create_task(renew())
    try:
        yield
    except asyncio.CancelledError:
        if not taken_over or runner is None:
            raise
        runner.uncancel()
        raise TurnTakenOver from None
    finally:
        renewing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await renewing


def _failure(error: Exception) -> ModelError:
    """What went wrong, as the turn and its call keep it."""
    if isinstance(error, ModelError):
        return error
    if isinstance(error, TimeoutError):
        return ModelError(ErrorCode.TURN_TIMED_OUT, f"longer than {settings.TURN_TIME_LIMIT_S:g} s")
    log.exception("turn_failed", exc_info=error)
    return ModelError(ErrorCode.TURN_FAILED, type(error).__name__)
