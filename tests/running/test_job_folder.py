"""The broker that needs no server: what is sent arrives once, whole and in order, and leaves nothing behind."""

import multiprocessing
import os
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection
from kombu.simple import SimpleQueue

from config import job_folder

SENDERS, EACH = 3, 200


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    job_folder.register()
    return tmp_path / "jobs"


def connected(folder: Path) -> Connection:
    return Connection("folder://", transport_options={"folder": str(folder), "polling_interval": 0.001})


def take_all(queue: SimpleQueue) -> list[int]:
    taken = []
    while True:
        try:
            message = queue.get(block=False)
        except Empty:
            return taken
        message.ack()
        taken.append(message.payload["number"])


def send(folder: Path, first: int) -> None:
    job_folder.register()
    with connected(folder) as connection, connection.SimpleQueue("house") as queue:
        for number in range(first, first + EACH):
            queue.put({"number": number}, serializer="json")


def test_messages_are_taken_in_the_order_they_were_sent_and_leave_no_file(folder: Path) -> None:
    with connected(folder) as connection, connection.SimpleQueue("house") as queue:
        for number in range(20):
            queue.put({"number": number}, serializer="json")
        assert queue.qsize() == 20
        assert take_all(queue) == list(range(20))
    assert os.listdir(folder / "house") == []


def test_queues_do_not_mix_and_one_can_be_emptied(folder: Path) -> None:
    with connected(folder) as connection:
        house, model = connection.SimpleQueue("house"), connection.SimpleQueue("model")
        house.put({"number": 1}, serializer="json")
        model.put({"number": 2}, serializer="json")
        assert house.clear() == 1
        assert take_all(house) == []
        assert take_all(model) == [2]


def test_a_message_that_is_still_being_written_is_not_seen(folder: Path) -> None:
    with connected(folder) as connection, connection.SimpleQueue("house") as queue:
        queue.put({"number": 1}, serializer="json")
        (folder / "house" / ".00000000000000000001-half").write_text('{"body": ')
        assert take_all(queue) == [1]


def test_several_processes_send_and_two_take_each_message_once(folder: Path) -> None:
    context = multiprocessing.get_context("spawn")
    senders = [context.Process(target=send, args=(folder, number * EACH)) for number in range(SENDERS)]
    for sender in senders:
        sender.start()
    taken: list[int] = []
    with connected(folder) as one, connected(folder) as other:
        first, second = one.SimpleQueue("house"), other.SimpleQueue("house")
        while any(sender.is_alive() for sender in senders) or first.qsize():
            taken += take_all(first) + take_all(second)
    assert [sender.exitcode for sender in senders] == [0] * SENDERS
    assert sorted(taken) == list(range(SENDERS * EACH))
