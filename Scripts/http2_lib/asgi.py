"""The application that hypercorn serves: the files of site, and what the other servers of http2_lib do."""
import hashlib
import pathlib


async def app(scope, receive, send):
    if scope["type"] != "http":
        raise NotImplementedError
    path = scope["path"].strip("/")
    file = pathlib.Path("site") / path
    headers, trailers = [(b"content-type", b"text/plain")], []
    if path == "echo":
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        status, content = 200, f"{len(body)} {hashlib.sha256(body).hexdigest()}".encode()
    elif path == "redirect":
        status, content = 302, b""
        headers.append((b"location", b"/small"))
    elif path == "trailers":
        status, content, trailers = 200, pathlib.Path("site/small").read_bytes(), [(b"x-checksum", b"12345")]
    elif file.is_file():
        status, content = 200, file.read_bytes()
    else:
        status, content = 404, b"none"
    await send({"type": "http.response.start", "status": status, "headers": headers, "trailers": bool(trailers)})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})
    if trailers:
        await send({"type": "http.response.trailers", "headers": trailers})
