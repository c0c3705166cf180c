"""The only way from an agent to a model: meters, caps, records, replays.

An attempt opens an account. Its agent gets an address and a token; each call is checked against
the account's caps before it is sent, passed to the model, metered, and recorded.

- `neutral.py`  what the dialects share · `dialects/` an API dialect each
- `models/`     a kind of model each: scripts, replays, providers through LiteLLM
- `endings.py`  how the model itself ended a call · `dotenv.py` keys from a file `.env`
- `account.py`  caps and the ledger of an attempt · `prices.py` tokens -> USD
- `server.py`   the HTTP server, a Unix socket for each account · `gateway.py` its thread
- `record.py`   requests and answers, compressed and deduplicated · `changes.py` what was changed on the way
"""
