import asyncio


async def handle(event):
    program = "ls"
    return await asyncio.create_subprocess_exec(program, "-l", event["folder"])
