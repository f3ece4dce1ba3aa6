"""Slots for calls: how their number adapts."""

from __future__ import annotations

import asyncio

import pytest
from cobsat.slots import FIRST, Slots


class Clock:
    """Time that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


async def round_trip(slots: Slots, calls: int) -> int:
    """Hold as many slots as there are, up to `calls`, let all succeed, and return how many."""
    held: list[int] = []
    go = asyncio.Event()

    async def one() -> None:
        async with slots.slot():
            held.append(1)
            await go.wait()
            slots.succeeded()

    tasks = [asyncio.create_task(one()) for _ in range(calls)]
    await asyncio.sleep(0.01)
    count = len(held)
    for task in tasks[count:]:
        task.cancel()
    go.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    return count


def test_slots_double_until_the_server_has_had_enough_and_then_grow_by_one() -> None:
    async def main() -> list[int]:
        clock = Clock()
        slots = Slots(100, clock)
        seen = [await round_trip(slots, 200) for _ in range(4)]
        clock.now = 5.0
        slots.overloaded(began=4.0)
        slots.overloaded(began=4.5)  # of the same burst
        seen.append(int(slots.limit))
        for _ in range(2):
            await round_trip(slots, 200)
            seen.append(int(slots.limit))
        return seen

    first, second, third, fourth, halved, more, still_more = asyncio.run(main())
    assert (first, second, third, fourth) == (FIRST, 16, 32, 64)
    assert halved == 50
    assert halved <= more <= halved + 1
    assert halved < still_more <= more + 1


def test_there_are_never_more_than_the_most_and_never_none() -> None:
    async def main() -> None:
        clock = Clock()
        slots = Slots(3, clock)
        for _ in range(5):
            assert await round_trip(slots, 10) == 3
        for _ in range(10):
            clock.now += 1
            slots.overloaded(began=clock.now)
        assert slots.limit == 1
        assert await round_trip(slots, 10) == 1

    asyncio.run(main())


def test_a_call_that_waits_gets_a_slot_that_comes_free() -> None:
    async def main() -> list[int]:
        slots = Slots(2)
        order: list[int] = []

        async def one(number: int) -> None:
            async with slots.slot():
                order.append(number)
                await asyncio.sleep(0)

        await asyncio.wait_for(asyncio.gather(*(one(n) for n in range(50))), 10)
        return order

    assert sorted(asyncio.run(main())) == list(range(50))


@pytest.mark.parametrize("seconds", [0.0, 0.1])
def test_a_pause_holds_back_every_call(seconds: float) -> None:
    async def main() -> float:
        slots = Slots(2)
        loop = asyncio.get_running_loop()
        start = loop.time()
        slots.pause(seconds)
        async with slots.slot():
            return loop.time() - start

    assert asyncio.run(main()) >= seconds * 0.99
