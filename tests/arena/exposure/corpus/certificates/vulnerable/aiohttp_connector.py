import aiohttp


class Fetcher:
    async def fetch_all(self, urls):
        connector = aiohttp.TCPConnector(verify_ssl=False)
        async with aiohttp.ClientSession(connector=connector) as session:
            return [await (await session.get(url)).text() for url in urls]
