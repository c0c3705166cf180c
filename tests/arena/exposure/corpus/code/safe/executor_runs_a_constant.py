import asyncio


async def work():
    await asyncio.to_thread(exec, "print(1)")
