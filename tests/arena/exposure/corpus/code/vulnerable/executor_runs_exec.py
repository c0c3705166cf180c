import asyncio


async def work(code):
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, exec, code)
