#!/usr/bin/env python3
"""Render pages that attack the browser or exhaust the machine, and print how each one ends.

usage: hostile.py [--programs DIR] [--browser PROGRAM] [NAME]...

Each page is followed by a harmless one, which must be rendered. The packets are those of the browser's network namespace.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from front_ends import ROOT, Meter

PAGES = {
    "fetches": "setInterval(() => { for (const u of ['https://127.0.0.1/', 'https://192.0.2.1/', 'https://[::1]/'])"
               " { fetch(u, {mode: 'no-cors'}).catch(() => 0); new Image().src = u; navigator.sendBeacon(u, 'x'); } }, 200)",
    "sockets": "setInterval(() => { for (const u of ['wss://127.0.0.1/', 'wss://192.0.2.1/']) new WebSocket(u);"
               " document.title = Math.random(); }, 200)",
    "webrtc": "const c = new RTCPeerConnection({iceServers: [{urls: 'stun:192.0.2.1'}, {urls: 'stun:127.0.0.1'}]});"
              " c.onicecandidate = (e) => e.candidate && document.body.append('candidate ');"
              " c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o));"
              " let i = 0; setInterval(() => { document.title = i++; }, 200)",
    "hints": "for (const rel of ['dns-prefetch', 'preconnect', 'prefetch', 'prerender', 'modulepreload'])"
             " for (let i = 0; i < 20; i++) { const l = document.createElement('link'); l.rel = rel;"
             " l.href = 'https://host' + i + '.test/'; document.head.append(l); }",
    "worker": "navigator.serviceWorker.register('/sw.js').then(() => document.body.append('registered'),"
              " () => document.body.append('refused'))",
    "files": "for (const u of ['file:///etc/passwd', 'chrome://version', 'view-source:file:///etc/passwd', 'chrome://crash'])"
             " { const f = document.createElement('iframe'); f.src = u; document.body.append(f); location.href = u; }",
    "downloads": "for (let i = 0; i < 20; i++) { const a = document.createElement('a');"
                 " a.href = URL.createObjectURL(new Blob(['x'.repeat(1e6)])); a.download = 'f' + i;"
                 " document.body.append(a); a.click(); }",
    "popups": "for (let i = 0; i < 10000; i++) open('about:blank')",
    "requests": "for (let i = 0; i < 10000; i++) fetch('/' + i).catch(() => 0)",
    "posts": "for (let i = 0; i < 900; i++) fetch('/p', {method: 'POST', body: 'x'.repeat(900000)})",
    "synchronous": "for (;;) { const x = new XMLHttpRequest(); x.open('GET', '/' + Math.random(), false);"
                   " try { x.send(); } catch (e) { } }",
    "loop": "for (;;);",
    "microtasks": "const f = () => Promise.resolve().then(f); f()",
    "alerts": "for (;;) alert(1)",
    "reload": "location.reload()",
    "workers": "for (let i = 0; i < 2000; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
    "frames": "for (let i = 0; i < 3000; i++) { const f = document.createElement('iframe'); f.srcdoc = '<p>x';"
              " document.body.append(f); }",
    "memory": "const a = []; try { for (let i = 0; i < 64; i++) a.push(new Uint8Array(1 << 26).fill(1));"
              " document.body.append('4 GiB'); } catch (e) { document.body.append('refused'); }",
    "wasm": "const a = []; try { for (let i = 0; i < 64; i++) { const m = new WebAssembly.Memory({initial: 1024});"
            " new Uint8Array(m.buffer).fill(1); a.push(m); } document.body.append('4 GiB'); }"
            " catch (e) { document.body.append('refused'); }",
    "blobs": "const a = []; for (let i = 0; i < 64; i++) a.push(new Blob([new Uint8Array(1 << 26)]))",
    "elements": "for (let i = 0; i < 1500000; i++) document.body.append(document.createElement('b'))",
    "depth": "let d = document.body; for (let i = 0; i < 300000; i++) { const e = document.createElement('b');"
             " d.append(e); d = e; }",
    "log": "for (let i = 0; i < 200000; i++) console.log('x'.repeat(10000))",
}


def measure(arguments, folder, name):
    pages = [folder / f"{name}.html", folder / "good.html"]
    pages[0].write_text(f"<!doctype html><body><p>start<script>{PAGES[name]}</script>")
    pages[1].write_text("<!doctype html><p>good")
    words = ["--browser", arguments.browser] if arguments.browser else []
    begin = time.monotonic()
    with subprocess.Popen([arguments.programs / "templatectl", "render", "--json", *words, "--timeout", "15", "--base",
                           "https://a.test/", *pages], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as process:
        meter = Meter(process.pid)
        rows = [json.loads(line) for line in process.stdout]
    seconds = time.monotonic() - begin
    cpu, mib = meter.end()
    is_good = len(rows) == 2 and "<p>good" in rows[1].get("html", "")
    added = re.sub(r"<[^>]*>", " ", rows[0].get("html", "").rpartition("</script>")[2]).split()[:1] if rows else []
    packets = ", ".join(f"{name} {count}" for name, count in meter.packets.items())
    return (name, " ".join([rows[0]["end"] if rows else "nothing was printed"] + [f"({word})" for word in added]),
            "yes" if is_good else "no", str(len(rows[0]["requests"]) if rows else 0), packets, f"{seconds:.0f}", f"{cpu:.1f}",
            f"{mib:.0f}"), is_good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PAGES))
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/release/daemon")
    parser.add_argument("--browser", help="default: that of templatectl render")
    arguments = parser.parse_args()
    head = ("page", "end", "next page", "requests", "packets", "s", "CPU s", "MiB")
    failed = 0
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    with tempfile.TemporaryDirectory(prefix="templated-") as folder:
        for name in arguments.names or PAGES:
            row, is_good = measure(arguments, pathlib.Path(folder), name)
            failed += not is_good
            print("| " + " | ".join(row) + " |", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
