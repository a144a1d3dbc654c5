"""hymt load against servers whose behaviour is known: small ones of this test's own.

    load_test.py HYMT [unittest's arguments]
"""

import http.server
import json
import threading
import time

import command
from command import Case


class Service(http.server.BaseHTTPRequestHandler):
    """Answers as told by the server's `reply(text)`: (status, JSON), after `delay` seconds."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append((self.path, request))
            self.server.cache_control.add(self.headers.get("Cache-Control"))
            self.server.under_way += 1
            self.server.most_under_way = max(self.server.most_under_way, self.server.under_way)
        time.sleep(self.server.delay)
        status, reply = self.server.reply(request["text"])
        with self.server.lock:
            self.server.under_way -= 1
        body = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def answer(text: str) -> tuple[int, dict]:
    return 200, {"translations": [{"text": text.upper(), "finish_reason": "stop"}],
                 "usage": {"output_tokens": 3}}


class Load(Case):

    def load(self, *arguments: str, reply=answer, delay=0.0, texts="one\teins\n\ntwo\n") -> dict:
        path = self.scratch / "texts.txt"
        path.write_text(texts, encoding="utf-8")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
        server.daemon_threads = True
        server.reply, server.delay, server.lock = reply, delay, threading.Lock()
        server.requests, server.under_way, server.most_under_way = [], 0, 0
        server.cache_control = set()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.server = server
        try:
            url = f"http://127.0.0.1:{server.server_address[1]}/"
            return json.loads(self.says("load", url, "--texts", str(path), "--json", *arguments))
        finally:
            server.shutdown()
            server.server_close()

    def test_sends_the_texts_in_turn_and_counts_what_comes_back(self):
        report = self.load("--to", "de", "--from", "en", "--requests", "5", "--concurrency", "1")
        self.assertEqual([r["text"] for _, r in self.server.requests],
                         ["one", "two", "one", "two", "one"])
        self.assertEqual({p for p, _ in self.server.requests}, {"/v1/translate"})
        self.assertEqual({(r["source"], r["target"]) for _, r in self.server.requests},
                         {("en", "de")})
        self.assertEqual(report["requests"], 5)
        self.assertEqual(report["outcomes"], {"200": 5})
        self.assertEqual(report["finish_reasons"], {"stop": 5})
        self.assertAlmostEqual(report["tokens_per_s"], 15 / report["seconds"], places=3)
        self.assertEqual(report["differing_answers"], 0)

    def test_keeps_as_many_requests_under_way_as_there_are_callers(self):
        self.load("--requests", "24", "--concurrency", "6", delay=0.05)
        self.assertEqual(self.server.most_under_way, 6)

    def test_counts_errors_by_status_and_answers_that_change(self):
        n = iter(range(1000))

        def moody(text: str) -> tuple[int, dict]:
            i = next(n)
            if i % 4 == 3:
                return 429, {"error": {}}
            return answer(f"{text} {i}")

        report = self.load("--requests", "8", "--concurrency", "1", reply=moody, texts="one\n")
        self.assertEqual(report["outcomes"], {"200": 6, "429": 2})
        self.assertEqual(report["differing_answers"], 5)

    def test_verifies_against_the_answers_given_alone(self):
        n = iter(range(1000))

        def worse_under_load(text: str) -> tuple[int, dict]:
            return answer(text if next(n) < 2 or text == "two" else text + "?")

        report = self.load("--requests", "8", "--concurrency", "1", "--verify",
                           reply=worse_under_load)
        self.assertEqual(len(self.server.requests), 2 + 8)
        self.assertEqual(report["requests"], 8)
        self.assertEqual(report["differing_answers"], 4)

    def test_asks_for_computed_answers_where_remembered_ones_would_prove_nothing(self):
        few = ["--requests", "4", "--concurrency", "1"]
        for arguments, expected in (([], {None}), (["--no-cache"], {"no-cache"}),
                                    (["--verify"], {"no-cache"})):
            self.load(*few, *arguments)
            self.assertEqual(self.server.cache_control, expected)

    def test_target_languages_and_files_are_mixed(self):
        second = self.scratch / "second.txt"
        second.write_text("three\nfour\n", encoding="utf-8")
        self.load("--texts", str(second), "--to", "de,fr", "--requests", "4", "--concurrency", "1")
        asked = [(r["text"], r["target"]) for _, r in self.server.requests]
        self.assertCountEqual(asked, [("one", "de"), ("two", "fr"), ("three", "de"),
                                      ("four", "fr")])

    def test_percentiles_are_of_all_samples_by_nearest_rank(self):
        n = iter(range(1000))

        def once_slow(text: str) -> tuple[int, dict]:
            if next(n) == 50:
                time.sleep(0.5)
            return answer(text)

        report = self.load("--requests", "100", "--concurrency", "10", reply=once_slow)
        self.assertGreater(report["latency_s"]["max"], 0.5)
        self.assertLess(report["latency_s"]["p99"], report["latency_s"]["max"])

    def test_open_loop_times_from_the_arrival(self):
        """A server that does one thing at a time for 0.1 s, asked 40 times a second for a second,
        falls behind by seconds: the last ones wait for all before them."""
        turn = threading.Lock()

        def one_at_a_time(text: str) -> tuple[int, dict]:
            with turn:
                time.sleep(0.1)
            return answer(text)

        report = self.load("--rate", "40", "--duration", "1", reply=one_at_a_time)
        n = report["requests"]
        self.assertGreater(n, 15)
        self.assertGreater(report["latency_s"]["max"], 0.1 * n - 1.2)
        self.assertGreater(report["latency_s"]["p99"], report["latency_s"]["p50"])

    def test_says_what_is_wrong(self):
        path = self.scratch / "texts.txt"
        path.write_text("one\n", encoding="utf-8")
        texts = ["--texts", str(path), "--requests", "1", "--concurrency", "1"]
        self.assertIn("no URL", self.refuses(1, "load", "no url", *texts))
        self.assertIn("no request was answered (connection: ",
                      self.refuses(1, "load", "http://127.0.0.1:1", *texts))
        self.assertIn("holds no text", self.refuses(1, "load", "http://127.0.0.1:1", "--texts",
                                                    "/dev/null"))
        self.refuses(2, "load", "http://127.0.0.1:1", *texts, "--rate", "5")


if __name__ == "__main__":
    command.main()
