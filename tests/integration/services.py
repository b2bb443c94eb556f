"""What messaging services accept, from their public documentation, and a mail
server that remembers what it gets.

Each check takes a Request and raises AssertionError if the service would refuse
it.
"""

import base64
import datetime
import json
import re
import socketserver
import ssl
import threading
import urllib.parse


def need(is_right, what):
    if not is_right:
        raise AssertionError(what)


def text_of(value, low, high, what):
    """A text with `low` to `high` UTF-16 code units."""
    need(isinstance(value, str), f"{what} is no text: {value!r}")
    size = len(value.encode("utf-16-le")) // 2
    need(low <= size <= high, f"{what} has {size} characters")


def url_of(value, what):
    text_of(value, 1, 3000, what)
    parts = urllib.parse.urlsplit(value)
    need(parts.scheme in ("http", "https") and parts.netloc, f"{what}: {value}")


def only(value, names, what):
    need(isinstance(value, dict), f"{what} is no object")
    need(set(value) <= set(names), f"{what} has {set(value) - set(names)}")


def body_of(request, method="POST"):
    need(request.method == method, request.method)
    need(request.headers["Content-Type"] == "application/json",
         request.headers["Content-Type"])
    return json.loads(request.body)


def slack(request):
    """https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
    and https://docs.slack.dev/reference/block-kit/blocks: at most 50 blocks; a
    header has a plain text of 150 characters, a section a text of 3,000, a
    button a text of 75 and a URL of 3,000. In mrkdwn (`text`) the characters &,
    < and > are written as entities:
    https://docs.slack.dev/messaging/formatting-message-text."""
    body = body_of(request)
    only(body, ("text", "blocks", "username", "icon_url"), "the message")
    text_of(body["text"], 1, 40000, "text")
    need(not re.search(r"[<>]|&(?!amp;|lt;|gt;)", body["text"]), body["text"])
    need(1 <= len(body["blocks"]) <= 50, "number of blocks")
    for block in body["blocks"]:
        if block["type"] == "header":
            only(block, ("type", "text"), "header")
            need(block["text"]["type"] == "plain_text", block)
            text_of(block["text"]["text"], 1, 150, "header")
        elif block["type"] == "section":
            only(block, ("type", "text"), "section")
            need(block["text"]["type"] in ("plain_text", "mrkdwn"), block)
            text_of(block["text"]["text"], 1, 3000, "section")
        else:
            need(block["type"] == "actions", block)
            need(1 <= len(block["elements"]) <= 25, block)
            for button in block["elements"]:
                only(button, ("type", "text", "url"), "button")
                need(button["type"] == "button", button)
                need(button["text"]["type"] == "plain_text", button)
                text_of(button["text"]["text"], 1, 75, "button")
                url_of(button["url"], "url of the button")


def discord(request):
    """https://docs.discord.com/developers/resources/webhook#execute-webhook and
    .../message#embed-object-embed-limits: one of content (2,000 characters) and
    embeds (10); a title of 256 characters, a description of 4,096, 6,000 in
    all; a color is an integer, a timestamp ISO 8601."""
    body = body_of(request)
    only(body, ("content", "embeds", "username", "allowed_mentions"), "message")
    need(body.get("content") or body.get("embeds"), "an empty message")
    if "content" in body:
        text_of(body["content"], 0, 2000, "content")
    need(len(body["embeds"]) <= 10, "number of embeds")
    total = 0
    for embed in body["embeds"]:
        only(embed, ("title", "description", "url", "color", "timestamp"),
             "embed")
        text_of(embed["title"], 1, 256, "title")
        text_of(embed["description"], 1, 4096, "description")
        total += len(embed["title"]) + len(embed["description"])
        need(isinstance(embed["color"], int) and 0 <= embed["color"] < 1 << 24,
             "color")
        datetime.datetime.fromisoformat(embed["timestamp"].replace("Z",
                                                                   "+00:00"))
        if "url" in embed:
            url_of(embed["url"], "url")
    need(total <= 6000, "characters in all embeds")
    need(body["allowed_mentions"] == {"parse": []}, "mentions are allowed")


def teams(request):
    """https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-\
connectors/how-to/add-incoming-webhook ("Post to a channel when a webhook request
    is received"): a message with Adaptive Cards, at most 28 KB;
    https://adaptivecards.io/explorer for the card."""
    body = body_of(request)
    need(len(request.body) <= 28 * 1024, "size")
    need(body["type"] == "message", "type")
    only(body, ("type", "attachments"), "message")
    need(len(body["attachments"]) == 1, "attachments")
    attachment = body["attachments"][0]
    only(attachment, ("contentType", "contentUrl", "content"), "attachment")
    need(attachment["contentType"] == "application/vnd.microsoft.card.adaptive",
         "contentType")
    card = attachment["content"]
    only(card, ("$schema", "type", "version", "body", "actions"), "card")
    need(card["type"] == "AdaptiveCard", "type of the card")
    need(card["$schema"] == "http://adaptivecards.io/schemas/adaptive-card.json",
         "$schema")
    need(re.fullmatch(r"1\.[0-5]", card["version"]), "version")
    need(card["body"], "an empty card")
    for block in card["body"]:
        only(block, ("type", "text", "wrap", "size", "weight", "color"), "block")
        need(block["type"] == "TextBlock" and block["wrap"] is True, block)
        text_of(block["text"], 1, 10000, "text")
        need(block.get("size", "Default") in ("Default", "Small", "Medium",
                                              "Large", "ExtraLarge"), block)
        need(block.get("weight", "Default") in ("Default", "Lighter", "Bolder"),
             block)
        need(block.get("color", "Default") in (
            "Default", "Dark", "Light", "Accent", "Good", "Warning",
            "Attention"), block)
    for action in card.get("actions", []):
        only(action, ("type", "title", "url"), "action")
        need(action["type"] == "Action.OpenUrl", action)
        url_of(action["url"], "url")


def matrix(request):
    """https://spec.matrix.org/latest/client-server-api/ : PUT /_matrix/client/
    v3/rooms/{roomId}/send/{eventType}/{txnId} with an access token; m.text has a
    body; an event has at most 65,536 bytes."""
    body = body_of(request, "PUT")
    found = re.fullmatch(
        r"/_matrix/client/v3/rooms/([^/]+)/send/m\.room\.message/([^/]+)",
        request.path)
    need(found, request.path)
    need(re.fullmatch(r"![^:]+:.+", urllib.parse.unquote(found[1])), found[1])
    need(re.fullmatch(r"[A-Za-z0-9._~-]{1,255}", found[2]), found[2])
    need(request.headers["Authorization"] == "Bearer t0ken", "access token")
    only(body, ("msgtype", "body", "format", "formatted_body"), "content")
    need(body["msgtype"] in ("m.text", "m.notice"), "msgtype")
    text_of(body["body"], 1, 30000, "body")
    need(len(request.body) < 65536, "size")


def telegram(request):
    """https://core.telegram.org/bots/api#sendmessage: POST /bot<token>/
    sendMessage; a text of 1 to 4,096 characters; link_preview_options is
    LinkPreviewOptions."""
    body = body_of(request)
    need(request.path == "/bott0ken/sendMessage", request.path)
    only(body, ("chat_id", "text", "link_preview_options"), "parameters")
    need(isinstance(body["chat_id"], int)
         or re.fullmatch(r"-?\d+|@\w+", body["chat_id"]), body["chat_id"])
    text_of(body["text"], 1, 4096, "text")
    only(body["link_preview_options"], ("is_disabled", "url"), "preview")


def ntfy(request):
    """https://docs.ntfy.sh/publish/#publish-as-json: POST to the root; a topic,
    a priority of 1 to 5, tags, a click; a message of 4,096 bytes; a token as
    Authorization: Bearer."""
    body = body_of(request)
    need(request.path == "/", request.path)
    only(body, ("topic", "message", "title", "tags", "priority", "click",
                "markdown", "icon"), "message")
    need(re.fullmatch(r"[-_A-Za-z0-9]{1,64}", body["topic"]), "topic")
    text_of(body["title"], 1, 250, "title")
    text_of(body["message"], 1, 4096, "message")
    need(len(body["message"].encode()) <= 4096, "bytes of the message")
    need(body["priority"] in (1, 2, 3, 4, 5), "priority")
    need(all(isinstance(tag, str) for tag in body["tags"]), "tags")
    if "click" in body:
        url_of(body["click"], "click")
    need(request.headers.get("Authorization", "Bearer t0ken")
         == "Bearer t0ken", "token")


def gotify(request):
    """https://gotify.net/api-docs#/message/createMessage: POST /message with
    X-Gotify-Key; message is required, priority an integer; https://gotify.net/
    docs/msgextras for the extras."""
    body = body_of(request)
    need(request.path == "/message", request.path)
    need(request.headers["X-Gotify-Key"] == "t0ken", "X-Gotify-Key")
    only(body, ("title", "message", "priority", "extras"), "message")
    text_of(body["title"], 1, 250, "title")
    text_of(body["message"], 1, 100000, "message")
    need(isinstance(body["priority"], int) and 0 <= body["priority"] <= 10,
         "priority")
    if "extras" in body:
        only(body["extras"], ("client::notification",), "extras")
        url_of(body["extras"]["client::notification"]["click"]["url"], "url")


def pagerduty(request):
    """https://developer.pagerduty.com/docs/send-alert-event: POST /v2/enqueue
    with routing_key (32 characters), event_action, dedup_key (255), and in
    payload summary (1,024), source, severity, timestamp, class and
    custom_details; links of href and text; 512 KB in all."""
    body = body_of(request)
    need(request.path == "/v2/enqueue", request.path)
    need(len(request.body) <= 512 * 1024, "size")
    only(body, ("routing_key", "event_action", "dedup_key", "payload", "client",
                "client_url", "links", "images"), "event")
    text_of(body["routing_key"], 32, 32, "routing_key")
    need(body["event_action"] in ("trigger", "acknowledge", "resolve"),
         "event_action")
    text_of(body["dedup_key"], 1, 255, "dedup_key")
    payload = body["payload"]
    only(payload, ("summary", "source", "severity", "timestamp", "component",
                   "group", "class", "custom_details"), "payload")
    text_of(payload["summary"], 1, 1024, "summary")
    text_of(payload["source"], 1, 1024, "source")
    need(payload["severity"] in ("critical", "error", "warning", "info"),
         "severity")
    datetime.datetime.fromisoformat(payload["timestamp"].replace("Z", "+00:00"))
    need(isinstance(payload["custom_details"], dict), "custom_details")
    for link in body.get("links", []):
        only(link, ("href", "text"), "link")
        url_of(link["href"], "href")
    if "client_url" in body:
        url_of(body["client_url"], "client_url")


CHECKS = {check.__name__: check for check in (
    slack, discord, teams, matrix, telegram, ntfy, gotify, pagerduty)}


class MailHandler(socketserver.StreamRequestHandler):
    timeout = 20

    def say(self, line):
        self.wfile.write(line.encode() + b"\r\n")

    def encrypt(self):
        self.request = self.server.mail.context.wrap_socket(self.request,
                                                            server_side=True)
        self.setup()
        self.is_encrypted = True

    def handle(self):
        mail = self.server.mail
        self.is_encrypted = False
        self.user = None
        self.sender, self.recipients = None, []
        try:
            if mail.is_implicit:
                self.encrypt()
            self.say("220 mail.test ESMTP")
            while line := self.rfile.readline():
                word, _, rest = line.decode().strip().partition(" ")
                mail.commands.append(word.upper())
                if not self.act(word.upper(), rest):
                    return
        except OSError:
            pass  # a client that leaves
        finally:
            if self.is_encrypted:
                self.request.close()

    def act(self, word, rest):
        mail = self.server.mail
        if word == "EHLO":
            lines = ["mail.test", "SIZE 1000000", "8BITMIME"]
            if self.is_encrypted or mail.context is None:
                lines.append("AUTH PLAIN")
            else:
                lines.append("STARTTLS")
            for i, line in enumerate(lines):
                self.say(f"250{' ' if i == len(lines) - 1 else '-'}{line}")
        elif word == "STARTTLS":
            self.say("220 go ahead")
            self.encrypt()
        elif word == "AUTH":
            _, _, data = rest.partition(" ")
            if not data:
                self.say("334 ")
                data = self.rfile.readline().decode().strip()
            _, self.user, password = base64.b64decode(data).split(b"\0")
            if password.decode() != mail.password:
                self.user = None
                self.say("535 5.7.8 wrong password")
            else:
                self.say("235 welcome")
        elif word == "MAIL":
            self.sender = re.match(r"FROM:<([^>]*)>", rest, re.I)[1]
            self.say("250 sender")
        elif word == "RCPT":
            self.recipients.append(re.match(r"TO:<([^>]*)>", rest, re.I)[1])
            self.say(mail.refusal or "250 recipient")
        elif word == "DATA":
            self.say("354 go ahead")
            data = b""
            while (line := self.rfile.readline()) not in (b".\r\n", b""):
                data += line[1:] if line.startswith(b".") else line
            mail.mails.append((self.sender, self.recipients, data, self.user,
                               self.is_encrypted))
            self.say("250 2.0.0 queued as 17")
        elif word == "QUIT":
            self.say(mail.farewell)
            return False
        else:
            self.say("502 what?")
        return True


class MailServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


class Mail:
    """A mail server; `certificate` is (file, key) or None for no TLS."""

    def __init__(self, certificate=None, is_implicit=False, password="p w:@/"):
        self.context = None
        if certificate is not None:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*certificate)
        self.is_implicit, self.password = is_implicit, password
        self.refusal, self.farewell = None, "221 bye"
        self.mails, self.commands = [], []
        self.server = MailServer(("127.0.0.1", 0), MailHandler)
        self.server.mail = self
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       kwargs={"poll_interval": 0.05})
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
