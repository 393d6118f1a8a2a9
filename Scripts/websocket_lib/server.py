"""The server of Scripts/websocket-conformance: Python's websockets, on ports of 127.0.0.1 that the system picks.

    server.py CERTIFICATE KEY

Prints its ports as a line of JSON, and serves until it is killed. The path decides what a connection does.
"""
import asyncio
import base64
import http
import json
import ssl
import sys

from websockets.asyncio.server import serve

SECRET = "Basic " + base64.b64encode(b"user:hunter2").decode()
REFUSALS = {"/401": http.HTTPStatus.UNAUTHORIZED, "/403": http.HTTPStatus.FORBIDDEN, "/404": http.HTTPStatus.NOT_FOUND}


async def serve_one(socket):
    path = socket.request.path
    if path.startswith("/close/"):
        code, _, reason = path[7:].partition("/")
        await socket.close(int(code), reason)
    elif path == "/describe":
        headers = socket.request.headers
        await socket.send(f"{socket.subprotocol} {headers.get('Cookie')} {headers.get('X-Test')} {bool(socket.protocol.extensions)}")
    elif path == "/silent":
        await asyncio.sleep(1)
    else:
        async for message in socket:
            await socket.send(message)


def respond(connection, request):
    if request.path in REFUSALS:
        return connection.respond(REFUSALS[request.path], f"refused {request.path}\n")
    if request.path == "/secret" and request.headers.get("Authorization") != SECRET:
        response = connection.respond(http.HTTPStatus.UNAUTHORIZED, "who?\n")
        response.headers["WWW-Authenticate"] = 'Basic realm="test"'
        return response
    if request.path == "/redirect":
        response = connection.respond(http.HTTPStatus.FOUND, "elsewhere\n")
        response.headers["Location"] = "/echo"
        return response
    return None


def choose(_, offered):
    return "v2" if "v2" in offered else None


async def main(certificate, key):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    common = dict(host="127.0.0.1", port=0, process_request=respond, select_subprotocol=choose, max_size=None)
    async with (
        serve(serve_one, **common) as deflated, serve(serve_one, compression=None, **common) as plain,
        serve(serve_one, ssl=tls, **common) as secure,
    ):
        servers = {"deflated": deflated, "plain": plain, "secure": secure}
        print(json.dumps({name: server.sockets[0].getsockname()[1] for name, server in servers.items()}), flush=True)
        await asyncio.get_running_loop().create_future()


asyncio.run(main(*sys.argv[1:]))
