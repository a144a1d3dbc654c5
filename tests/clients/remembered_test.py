"""The translation memory, as programs meet it: through hymt serve, HTTP and a Redis of this test's own.

    remembered_test.py HYMT [unittest's arguments]
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

HYMT = ""  # main sets it
SENTENCE = "I like this book."


class Service:
    def __init__(self, *arguments: str, environment: dict | None = None):
        self.process = subprocess.Popen([HYMT, "serve", "--port", "0", *arguments], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment)
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            raise AssertionError("hymt serve did not start: " + self.process.communicate()[1])
        self.url = found[0]

    def stop(self) -> str:
        """Its log."""
        self.process.terminate()
        return self.process.communicate()[1]

    def post(self, body: dict, **headers: str) -> bytes:
        request = urllib.request.Request(
            self.url + "/v1/translate", json.dumps(body).encode(),
            {"Content-Type": "application/json",
             **{name.replace("_", "-"): value for name, value in headers.items()}})
        return urllib.request.urlopen(request, timeout=120).read()

    def translate(self, text, headers: dict | None = None, **fields) -> dict:
        return json.loads(self.post({"text": text, "source": "en", "target": "zh", **fields},
                                    **(headers or {})))

    def metric(self, name: str) -> float:
        text = urllib.request.urlopen(self.url + "/metrics").read().decode()
        return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)[1])


def cached(reply: dict) -> list[bool]:
    return [translation["cached"] for translation in reply["translations"]]


def without_cached(reply: dict) -> dict:
    for translation in reply["translations"]:
        del translation["cached"]
    return reply


def until(condition) -> None:
    while not condition():
        time.sleep(0.01)


class InProcess(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = Service()

    @classmethod
    def tearDownClass(cls):
        cls.service.stop()

    def setUp(self):
        # Every test has texts of its own: nothing of another test is remembered of them.
        self.text = f"{SENTENCE} {self.id().rsplit('.')[-1].replace('_', ' ')}"

    def test_a_repeated_request_is_answered_with_the_same_bytes(self):
        first = self.service.translate(self.text)
        generated = self.service.metric("hymt_engine_generated_tokens_total")
        again = self.service.translate(self.text)
        self.assertEqual((cached(first), cached(again)), ([False], [True]))
        self.assertEqual(without_cached(again), without_cached(first))
        self.assertEqual(self.service.metric("hymt_engine_generated_tokens_total"), generated)
        self.assertGreaterEqual(self.service.metric('hymt_memory_hits_total{store="process"}'), 1)

    def test_another_parameter_is_another_request(self):
        self.service.translate(self.text)
        for fields in ({"target": "de"}, {"beams": 3}, {"max_tokens": 3}, {"alternatives": 1},
                       {"temperature": 0.5, "seed": 1}):
            self.assertEqual(cached(self.service.translate(self.text, **fields)), [False], fields)
            self.assertEqual(cached(self.service.translate(self.text, **fields)), [True], fields)
        self.assertEqual(cached(self.service.translate(self.text + "!")), [False])

    def test_what_is_drawn_without_a_seed_is_drawn_anew(self):
        for _ in range(3):
            self.assertEqual(cached(self.service.translate(self.text, temperature=1)), [False])
        for seed, expected in ((1, False), (2, False), (1, True), (2, True)):
            reply = self.service.translate(self.text, temperature=1, seed=seed)
            self.assertEqual(cached(reply), [expected])

    def test_parts_of_a_document_repeat_too(self):
        whole = self.service.translate(f"{self.text}\n\nWhat time is it?\n{self.text}")
        part = self.service.translate([self.text, "What is this?"])
        self.assertEqual((cached(whole), cached(part)), ([False], [True, False]))
        lines = whole["translations"][0]["text"].split("\n")
        self.assertEqual(lines[0], lines[3])
        self.assertEqual(part["translations"][0]["text"], lines[0])

    def test_streams_say_the_same(self):
        plain = self.service.translate(self.text)["translations"][0]["text"]
        for _ in range(2):
            body = self.service.post({"text": self.text, "source": "en", "target": "zh",
                                      "stream": True}).decode()
            events = [json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: {")]
            self.assertEqual("".join(e.get("delta", "") for e in events), plain)
            self.assertTrue(events[-1]["cached"])
            self.assertTrue(body.endswith("data: [DONE]\n\n"))

    def test_cache_control(self):
        kept_from_others = {"Cache_Control": "max-age=0, No-Store"}
        computed_now = {"Cache_Control": "no-cache"}
        for headers, expected in ((kept_from_others, False), (None, False), (None, True),
                                  (computed_now, False), (kept_from_others, False), (None, True)):
            self.assertEqual(cached(self.service.translate(self.text, headers)), [expected])

    def test_what_has_no_words_is_not_counted_as_remembered(self):
        self.assertEqual(cached(self.service.translate(["", "***"])), [False, False])


class Switched(unittest.TestCase):
    def test_off_it_remembers_nothing(self):
        service = Service("--cache-memory", "0")
        self.addCleanup(service.stop)
        for _ in range(2):
            self.assertEqual(cached(service.translate(SENTENCE)), [False])

    def test_answers_expire(self):
        service = Service("--cache-ttl", "1ms")
        self.addCleanup(service.stop)
        service.translate(SENTENCE)
        time.sleep(0.01)
        self.assertEqual(cached(service.translate(SENTENCE)), [False])

    def test_wrong_options_are_refused(self):
        for arguments, said in ((["--cache-memory", "much"], "size"), (["--cache-ttl", "0s"], "time"),
                                (["--redis", "http://x"], "redis://HOST"),
                                (["--redis", "redis://:hush@x"], "HYMT_REDIS_PASSWORD"),
                                (["--redis-password-file", "/dev/null"], "--redis")):
            done = subprocess.run([HYMT, "serve", "--port", "0", *arguments], capture_output=True,
                                  text=True, timeout=60)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)
            self.assertNotIn("hush", done.stderr)
        done = subprocess.run([HYMT, "serve", "--port", "0", "--cache-memory", "900TB"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--cache-memory", done.stderr)


@unittest.skipUnless(shutil.which("redis-server"), "needs redis-server")
class Shared(unittest.TestCase):
    PASSWORD = "a-secret-of-this-test"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="hymt-redis.")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.redis = None
        self.start_redis()
        self.addCleanup(lambda: self.stop_redis())

    def start_redis(self) -> None:
        self.redis = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", "redis.sock", "--save", "", "--requirepass",
             self.PASSWORD, "--enable-debug-command", "yes"], cwd=self.folder,
            stdout=subprocess.DEVNULL)
        until(lambda: self.say("PING") == "PONG")

    def stop_redis(self) -> None:
        if self.redis:
            self.redis.kill()
            self.redis.wait()
        self.redis = None

    def say(self, *command: str) -> str:
        done = subprocess.run(["redis-cli", "-s", str(self.folder / "redis.sock"), "-a", self.PASSWORD,
                               "--no-auth-warning", *command], capture_output=True, text=True)
        return done.stdout.strip()

    def replica(self, *arguments: str) -> Service:
        password = self.folder / "password"
        password.write_text(self.PASSWORD + "\n", encoding="utf-8")
        service = Service("--redis", f"unix://{self.folder}/redis.sock", "--redis-password-file",
                          str(password), *arguments)
        self.addCleanup(service.stop)
        until(lambda: service.metric("hymt_redis_connected") == 1)
        return service

    def keys(self) -> list[str]:
        return self.say("KEYS", "hymt:*").split()

    def test_replicas_share_answers_and_do_without_redis_while_it_is_gone(self):
        one, two = self.replica(), self.replica("--cache-memory", "0")
        first = one.translate(SENTENCE)
        until(lambda: len(self.keys()) == 1)
        self.assertGreater(int(self.say("TTL", self.keys()[0])), 0)
        # A machine too busy to answer in time is no error, but no hit either.
        until(lambda: cached(two.translate(SENTENCE)) == [True])
        self.assertEqual(without_cached(two.translate(SENTENCE)), without_cached(first))
        self.assertGreaterEqual(two.metric('hymt_memory_hits_total{store="redis"}'), 1)

        self.stop_redis()
        until(lambda: two.metric("hymt_redis_connected") == 0)
        self.assertEqual(cached(two.translate(SENTENCE)), [False])
        self.assertEqual(cached(one.translate(SENTENCE)), [True])
        self.start_redis()
        for service in (one, two):
            until(lambda: service.metric("hymt_redis_connected") == 1)
        until(lambda: two.translate(SENTENCE) and len(self.keys()) == 1)

    def test_another_model_or_other_kernels_share_nothing(self):
        one = self.replica()
        one.translate(SENTENCE)
        until(lambda: len(self.keys()) == 1)
        other = self.replica("--kernels", "scalar")
        self.assertEqual(cached(other.translate(SENTENCE)), [False])
        until(lambda: len(self.keys()) == 2)

    def test_foreign_bytes_make_no_wrong_answer(self):
        one = self.replica("--cache-memory", "0")
        right = without_cached(one.translate(SENTENCE))
        until(lambda: len(self.keys()) == 1)
        for bytes_ in ("", "foreign", "x" * 1000):
            self.say("SET", self.keys()[0], bytes_)
            self.assertEqual(without_cached(one.translate(SENTENCE)), right)

    def test_a_frozen_redis_delays_nobody_for_long(self):
        one = self.replica("--cache-memory", "0")
        expected = without_cached(one.translate(SENTENCE))
        sleeper = subprocess.Popen(["redis-cli", "-s", str(self.folder / "redis.sock"), "-a",
                                    self.PASSWORD, "DEBUG", "SLEEP", "2"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        until(lambda: (without_cached(one.translate(SENTENCE)) == expected and
                       one.metric('hymt_redis_breaker_open{operation="get"}') == 1))
        self.assertIsNone(sleeper.poll(), "it was left alone before it answered")
        sleeper.wait()

    def test_the_password_is_in_no_log(self):
        service = self.replica()
        service.translate(SENTENCE)
        self.stop_redis()
        until(lambda: service.metric("hymt_redis_connected") == 0)
        log = service.stop()
        self.assertIn("redis.sock: connected", log)
        self.assertIn("going on without it", log)
        self.assertNotIn(self.PASSWORD, log)


if __name__ == "__main__":
    HYMT = sys.argv.pop(1)
    unittest.main()
