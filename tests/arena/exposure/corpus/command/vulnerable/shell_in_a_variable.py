import asyncio


async def handle(event):
    program = "bash"
    words = [program, "-c", event["cmd"]]
    return await asyncio.create_subprocess_exec(program, words)
