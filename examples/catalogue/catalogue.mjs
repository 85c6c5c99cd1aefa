// The catalogue over HTTP/2 without TLS, as plain pages and as gRPC: node catalogue.mjs PORT
// Needs Node.js and no packages, so the three fields of its two messages are read and written by hand.
import http2 from "node:http2";

const NAMES = ["oak table", "oak chair", "walnut bench", "maple shelf", "pine bed", "cherry desk"];
const OK = 0;
const INVALID_ARGUMENT = 3;
const UNIMPLEMENTED = 12;

function find(word) {
  return NAMES.filter((name) => name.startsWith(word.toLowerCase()));
}

// A field of type string: tag, length, bytes. All are shorter than 128 bytes here, so a length is one byte.
function field(number, text) {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

// The word of a Query: the text of its field 1, or "" where it is left out.
function wordOf(message) {
  return message[0] === 0x0a ? message.subarray(2, 2 + message[1]).toString() : "";
}

// A message as gRPC sends it: not compressed, four bytes of length.
function framed(message) {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function call(stream, path, body) {
  const word = wordOf(body.subarray(5));
  const head = { ":status": 200, "content-type": "application/grpc" };
  if (path !== "/shop.Catalogue/Find") {
    stream.respond({ ...head, "grpc-status": UNIMPLEMENTED }, { endStream: true });
  } else if (!word) {
    stream.respond({ ...head, "grpc-status": INVALID_ARGUMENT, "grpc-message": "no word" }, { endStream: true });
  } else {
    stream.respond(head, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": OK }));
    stream.end(framed(Buffer.concat([field(1, word), ...find(word).map((name) => field(2, name))])));
  }
}

function page(stream, path) {
  const word = new URL(path, "http://shop").searchParams.get("q") ?? "";
  stream.respond({ ":status": 200, "content-type": "text/plain" });
  stream.end(`Found for ${word}: ${find(word).join(", ") || "nothing"}\n`);
}

const server = http2.createServer();
server.on("stream", (stream, headers) => {
  const parts = [];
  stream.on("error", () => {}); // a caller that went away is no fault of ours
  stream.on("data", (part) => parts.push(part));
  stream.on("end", () => {
    const isCall = headers["content-type"]?.startsWith("application/grpc");
    if (isCall) call(stream, headers[":path"], Buffer.concat(parts));
    else page(stream, headers[":path"]);
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
