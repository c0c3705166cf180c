"""The only way from an agent to a model: meters, caps, records, replays.

An attempt opens an account. Its agent gets its own address and token; each call is checked against
the account's caps before it is sent, passed to the model, metered, and recorded.

- `neutral.py`  what the dialects have in common · `dialects/` one API dialect a file
- `models/`     one kind of model a file: scripts, replays, providers through LiteLLM
- `endings.py`  how a call ended by the model's own doing · `dotenv.py` keys from a file `.env`
- `account.py`  caps and the ledger of one attempt · `prices.py` tokens -> USD
- `server.py`   the HTTP server, one Unix socket for each account · `gateway.py` its thread
- `record.py`   requests and answers, compressed and deduplicated · `changes.py` what was changed on the way
"""
