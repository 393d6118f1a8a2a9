// Node's HTTP/2 server: node.js TLS-PORT PORT, in a folder with good.pem, good.key and site; does what the other servers of http2_lib do.
const [crypto, fs, http2, path, zlib] = ["crypto", "fs", "http2", "path", "zlib"].map(require);

function respond(stream, headers) {
  const name = headers[":path"].slice(1);
  const file = path.join("site", name === "trailers" ? "small" : name);
  const start = { ":status": 200, "content-type": "text/plain" };
  if (name === "echo") {
    const hash = crypto.createHash("sha256");
    let length = 0;
    stream.on("data", (part) => { hash.update(part); length += part.length; });
    stream.on("end", () => { stream.respond(start); stream.end(`${length} ${hash.digest("hex")}`); });
  } else if (name === "redirect") {
    stream.respond({ ":status": 302, location: "/small" }, { endStream: true });
  } else if (!fs.existsSync(file)) {
    stream.respond({ ":status": 404 });
    stream.end("none");
  } else if (name === "trailers") {
    stream.respond(start, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "x-checksum": "12345" }));
    stream.end(fs.readFileSync(file));
  } else if (name === "text" && (headers["accept-encoding"] || "").includes("gzip")) {
    stream.respond({ ...start, "content-encoding": "gzip" });
    stream.end(zlib.gzipSync(fs.readFileSync(file)));
  } else {
    stream.respond(start);
    stream.end(fs.readFileSync(file));
  }
}

const secure = http2.createSecureServer({ key: fs.readFileSync("good.key"), cert: fs.readFileSync("good.pem") });
for (const [server, port] of [[secure, 2], [http2.createServer(), 3]]) {
  server.on("stream", (stream, headers) => { stream.on("error", () => {}); respond(stream, headers); });
  server.on("sessionError", () => {});
  server.listen(Number(process.argv[port]), "127.0.0.1");
}
