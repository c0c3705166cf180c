from Crypto.Random import get_random_bytes
import aiohttp.web as web


async def login(request):
    form = await request.post()
    response = web.Response(text="hello " + str(len(form)))
    response.set_cookie("session", get_random_bytes(24).hex(), httponly=True, secure=True)
    return response
