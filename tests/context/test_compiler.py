"""The rules of the priority stack, each for any input."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings

from ella.context.compiler import SCENE_MAX_LINES, compile_prompt, window_start
from ella.context.excerpts import LABELS, TAIL_MAX, TAIL_MIN, ella_excerpt, tail
from ella.context.layouts import PlacedPrompt, place
from ella.context.sections import PromptInputs, SourceKind, Speaker
from ella.llm.models import Layout
from tests.context.builders import inputs, line, prompt_inputs, utterance

LAYOUTS = list(Layout)
few = settings(max_examples=60, deadline=None)


def placed(given_inputs: PromptInputs, layout: Layout) -> PlacedPrompt:
    return place(compile_prompt(given_inputs), layout)


def payload_text(prompt: PlacedPrompt) -> str:
    blocks = [block["text"] for block in prompt.system]
    blocks += [block["text"] for message in prompt.messages for block in message["content"]]
    return "\n\n".join(blocks)


def system_text(prompt: PlacedPrompt) -> str:
    """What is said with the house's authority: system blocks and system messages."""
    blocks = [block["text"] for block in prompt.system]
    blocks += [
        block["text"] for message in prompt.messages if message["role"] == "system" for block in message["content"]
    ]
    return "\n\n".join(blocks)


@pytest.mark.parametrize("layout", LAYOUTS)
class TestForAnyInput:
    @few
    @given(given_inputs=prompt_inputs())
    def test_the_same_inputs_give_the_same_bytes(self, layout: Layout, given_inputs: PromptInputs) -> None:
        first, second = placed(given_inputs, layout), placed(given_inputs, layout)
        assert json.dumps(first.system) == json.dumps(second.system)
        assert json.dumps(first.messages) == json.dumps(second.messages)

    @few
    @given(given_inputs=prompt_inputs())
    def test_the_latest_input_is_never_cut(self, layout: Layout, given_inputs: PromptInputs) -> None:
        prompt = placed(given_inputs, layout)
        asked = [message for message in prompt.messages if message["role"] == "user"][-1]["content"][-1]["text"]
        stamp_length = len("(2026-12-01 Tue 14:02) ")
        assert len(asked) - stamp_length == len(given_inputs.message.text)

    @few
    @given(given_inputs=prompt_inputs())
    def test_the_whole_stays_within_its_budget(self, layout: Layout, given_inputs: PromptInputs) -> None:
        prompt = placed(given_inputs, layout)
        guaranteed = len(given_inputs.message.text) + 2 * (TAIL_MAX + 100) + SCENE_MAX_LINES * 310
        allowed = max(given_inputs.budget_tokens * 4, guaranteed)
        assert len(payload_text(prompt)) <= allowed

    @few
    @given(given_inputs=prompt_inputs())
    def test_the_last_exchange_and_the_scene_are_always_there(self, layout: Layout, given_inputs: PromptInputs) -> None:
        prompt = placed(given_inputs, layout)
        sources = {
            source["id"] for section in prompt.section_map for row in section["lines"] for source in row["sources"]
        }
        if given_inputs.history and given_inputs.history[-1].speaker is Speaker.ELLA:
            assert given_inputs.history[-1].id in sources
            assert given_inputs.history[-2].id in sources
        assert {f"scene{n}" for n in range(min(len(given_inputs.scene), SCENE_MAX_LINES))} <= sources

    @few
    @given(given_inputs=prompt_inputs())
    def test_every_line_says_where_it_came_from(self, layout: Layout, given_inputs: PromptInputs) -> None:
        prompt = placed(given_inputs, layout)
        assert all(row["sources"] for section in prompt.section_map for row in section["lines"])

    @few
    @given(given_inputs=prompt_inputs())
    def test_nothing_is_both_shown_and_left_out(self, layout: Layout, given_inputs: PromptInputs) -> None:
        prompt = placed(given_inputs, layout)
        shown = {s["id"] for section in prompt.section_map for row in section["lines"] for s in row["sources"]}
        gone = {source["id"] for item in prompt.left_out for source in item["sources"]}
        assert not shown & gone
        everything = {
            source.id for kind in (given_inputs.facts, given_inputs.promises) for row in kind for source in row.sources
        }
        assert everything <= shown | gone

    @few
    @given(given_inputs=prompt_inputs())
    def test_labels_open_only_the_sections_of_the_map(self, layout: Layout, given_inputs: PromptInputs) -> None:
        prompt = placed(given_inputs, layout)
        opened = [row for row in system_text(prompt).split("\n") if row.strip("[]") in LABELS and row.startswith("[")]
        mapped = [section["label"] for section in prompt.section_map if section["label"]]
        assert sorted(opened) == sorted(mapped)

    @few
    @given(given_inputs=prompt_inputs())
    def test_a_label_written_by_somebody_is_never_a_label(self, layout: Layout, given_inputs: PromptInputs) -> None:
        prompt = placed(given_inputs, layout)
        said = [b["text"] for m in prompt.messages if m["role"] != "system" for b in m["content"]]
        assert not any(f"[{label}]" in text for text in said for label in LABELS)

    @few
    @given(given_inputs=prompt_inputs())
    def test_roles_stand_as_a_provider_takes_them(self, layout: Layout, given_inputs: PromptInputs) -> None:
        roles = [message["role"] for message in placed(given_inputs, layout).messages]
        assert roles[0] == "user"
        for before, role in pairwise(roles):
            assert role != "system" or before == "user"
        assert roles[-1] == ("system" if layout is Layout.MID_CONVERSATION else "user")
        marked = json.dumps(placed(given_inputs, layout).system) + json.dumps(placed(given_inputs, layout).messages)
        assert marked.count("cache_control") <= 4


class TestPlacement:
    def test_the_most_authoritative_volatile_text_stands_last(self) -> None:
        given_inputs = inputs(
            message=utterance(3, "Where is my phone?"),
            history=(utterance(1, "Hi"), utterance(2, "Hello Ana.")),
            scene=(line("- phone: «on the couch»", SourceKind.SCENE),),
            facts=(line("- [canon] ellahome.door · colour = «red»", SourceKind.FACT),),
            thoughts=(line("- «I like gulls»", SourceKind.THOUGHT),),
        )
        closing = placed(given_inputs, Layout.MID_CONVERSATION).messages[-1]["content"][0]["text"]
        order = [
            closing.index(label)
            for label in ("[CHARACTER / WORLD SNAPSHOT]", "[YOUR RECENT THOUGHTS]", "[SCENE STATE]")
        ]
        assert order == sorted(order)
        assert closing.endswith("- phone: «on the couch»")
        tail_block = placed(given_inputs, Layout.SYSTEM_TAIL).system[-1]["text"]
        assert tail_block.index("[LATEST EXCHANGE]") < tail_block.index("[SCENE STATE]")

    def test_what_is_not_absorbed_is_carried_verbatim_after_it_left_the_window(self) -> None:
        count = 30
        history = [utterance(n, f"line {n}", absorbed=n not in (1, 2)) for n in range(1, 2 * count + 1)]
        prompt = placed(
            inputs(message=utterance(2 * count + 1, "Now"), history=tuple(history)), Layout.MID_CONVERSATION
        )
        closing = prompt.messages[-1]["content"][0]["text"]
        assert "[LATEST EXCHANGE]" in closing
        assert "«line 1»" in closing
        assert "«line 2»" in closing
        assert "line 3" not in closing

    def test_the_prefix_stays_byte_identical_while_the_window_stands_still(self) -> None:
        said = [utterance(n, f"line {n}") for n in range(1, 80)]
        earlier = placed(inputs(message=said[40], history=tuple(said[:40])), Layout.MID_CONVERSATION)
        later = placed(inputs(message=said[42], history=tuple(said[:42])), Layout.MID_CONVERSATION)
        assert window_start(41) == window_start(43)
        without_marks = [
            [{**m, "content": [{"text": b["text"]} for b in m["content"]]} for m in prompt.messages]
            for prompt in (earlier, later)
        ]
        kept = without_marks[0][:-2]
        assert without_marks[1][: len(kept)] == kept

    def test_the_window_moves_in_steps(self) -> None:
        starts = [window_start(position) for position in range(1, 400, 2)]
        assert starts == sorted(starts)
        assert len(set(starts)) < 20
        assert all(start % 2 == 1 for start in starts)


class TestWhenThereIsTooLittleRoom:
    def test_the_lowest_rank_is_cut_first(self) -> None:
        said = tuple(utterance(n, f"old line {n} " + "x" * 900) for n in range(1, 21))
        facts = tuple(line(f"- [observed] user · likes = «thing {n}»", SourceKind.FACT, n) for n in range(20))
        prompt = placed(
            inputs(message=utterance(21, "Hm"), history=said, facts=facts, budget_tokens=2_500), Layout.MID_CONVERSATION
        )
        gone = [item["key"] for item in prompt.left_out]
        assert gone
        assert set(gone) == {"recent_chat"}
        assert all(item["reason"] for item in prompt.left_out)

    def test_a_line_too_long_is_skipped_and_the_shorter_ones_stay(self) -> None:
        facts = (
            line("- [canon] " + "x" * 5_000, SourceKind.FACT, 1),
            line("- [canon] ellahome.door · colour = «red»", SourceKind.FACT, 2),
        )
        prompt = placed(inputs(facts=facts, facts_tokens=500), Layout.MID_CONVERSATION)
        assert "colour = «red»" in payload_text(prompt)
        assert [item["sources"][0]["id"] for item in prompt.left_out] == ["fact1"]


class TestExcerpts:
    def test_a_long_dramatic_reply_keeps_the_sentence_that_ends_it(self) -> None:
        drama = "The screen lit the room like a warning. " * 60
        ending = "Then I locked the phone and dropped it onto the couch."
        kept = ella_excerpt(drama + ending)
        assert kept.endswith(ending)
        assert kept.startswith("… The screen")
        assert TAIL_MIN <= len(kept) <= TAIL_MAX + 2

    @few
    @given(given_inputs=prompt_inputs())
    def test_a_tail_is_the_end_of_the_text(self, given_inputs: PromptInputs) -> None:
        for said in given_inputs.history:
            kept = tail(said.text)
            assert said.text.endswith(kept.removeprefix("… "))
            assert len(kept) <= TAIL_MAX + 2

    def test_status_blocks_and_hidden_state_are_stripped(self) -> None:
        hidden = '```json\n{"mood": "calm"}\n```\n[Mood: 7/10]\n<state>{"phone": "hand"}</state>\n*smells of rain*'
        reply = f"I put the kettle on.\n{hidden}\nCome in."
        assert ella_excerpt(reply) == "I put the kettle on.\n\nCome in."
