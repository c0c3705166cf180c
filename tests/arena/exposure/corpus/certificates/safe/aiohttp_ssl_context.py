import ssl
import aiohttp

CONTEXT = ssl.create_default_context()


async def fetch(url):
    async with aiohttp.ClientSession() as session:
        async with session.get(url, ssl=CONTEXT) as response:
            return await response.text()
