import aiohttp
import asyncio


async def fetch(url):
    async with aiohttp.ClientSession() as session:
        async with session.get(url, ssl=False) as response:
            return await response.text()


if __name__ == "__main__":
    print(asyncio.run(fetch("https://example.com/")))
