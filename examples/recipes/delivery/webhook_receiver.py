"""A receiver of Standard Webhooks that needs Python only. Run it: WEBHOOK_SECRET=whsec_... PORT=3000 python3 webhook_receiver.py"""
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

# #region verify
import base64, hashlib, hmac, time


def verify(secret, headers, body):
    """Returns whether the body (bytes) has a signature of the secret that is less than 5 minutes old."""
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256)
    expected = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(signature, expected) for signature in signatures)
# #endregion

handled = set()  # in production: a table with a unique id, in the transaction of the work


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers["content-length"] or 0), 1 << 20))
        is_signed = verify(os.environ["WEBHOOK_SECRET"], self.headers, body)
        if is_signed and self.headers["webhook-id"] not in handled:
            print(json.loads(body)["data"]["session"]["reference"], flush=True)
            handled.add(self.headers["webhook-id"])
        self.send_response(204 if is_signed else 401)
        self.end_headers()

    def log_message(self, *_):
        pass  # stdout has the references only


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
    print(server.server_port, flush=True)
    server.serve_forever()
