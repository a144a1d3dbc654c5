"""./run.sh in a tree of its own where every tool that installs or builds is a fake that notes its call."""

import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What a minimal Debian has; PATH holds these and the fakes only.
BASICS = ("awk bash cat dirname env find grep head id mkdir mv nproc paste readlink sed sleep sort tail "
          "touch tr").split()

FAKE_SERVER = """#!/bin/bash
echo "serving with: $*"
echo "in: $PWD"
"""
# Configures and builds: leaves what run.sh looks for.
FAKE_CMAKE = """#!/bin/bash
echo "cmake $*" >> "$LOG"
case " $* " in
  *" --preset "*) touch build/build.ninja; echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" > build/CMakeCache.txt ;;
  *" --build "*) cp server build/hymt ;;
esac
"""


class RunSh(unittest.TestCase):

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="hymt run.")  # a space, as in people's folders
        self.addCleanup(scratch.cleanup)
        self.tree = pathlib.Path(scratch.name) / "the tree"
        self.bin = pathlib.Path(scratch.name) / "bin"
        self.log = pathlib.Path(scratch.name) / "calls"
        self.log.touch()
        for folder in (self.tree / "tools" / "lib", self.bin,
                       *(self.tree / name for name in ("src", "web", "models", "cmake"))):
            folder.mkdir(parents=True)
        for name in ("run.sh", "packages.txt", "tools/lib/setup.sh"):
            shutil.copy(ROOT / name, self.tree / name)
        for name in ("CMakeLists.txt", "CMakePresets.json"):
            (self.tree / name).touch()
        for tool in (*BASICS, "cp"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.script(self.tree / "server", FAKE_SERVER)
        self.fake("cmake", FAKE_CMAKE)
        self.fake("xdg-open", '#!/bin/bash\necho "xdg-open $*" >> "$LOG"\n')

    def script(self, path: pathlib.Path, text: str):
        path.write_text(text)
        path.chmod(0o755)

    def fake(self, name: str, text: str):
        (self.bin / name).unlink(missing_ok=True)
        self.script(self.bin / name, text)

    def with_apt(self, installed: bool, uid: int = 0):
        packages = [line.split()[1] for line in (ROOT / "packages.txt").read_text().splitlines()
                    if line.startswith("build ")]
        listing = "\n".join(f"installed {p}" for p in (packages if installed else packages[1:]))
        self.fake("dpkg-query", f"#!/bin/bash\ncat <<'END'\n{listing}\nEND\n")
        self.fake("apt-get", '#!/bin/bash\necho "apt-get $*" >> "$LOG"\n')
        self.fake("id", f"#!/bin/bash\necho {uid}\n")

    def run_sh(self, *arguments: str, cwd: pathlib.Path | None = None) -> subprocess.CompletedProcess:
        environment = {"PATH": str(self.bin), "LOG": str(self.log), "HYMT_OPEN": "0"}
        return subprocess.run([str(self.tree / "run.sh"), *arguments], cwd=cwd or self.tree, text=True,
                              env=environment, capture_output=True, timeout=20, check=False)

    def calls(self) -> str:
        return self.log.read_text()

    def test_without_apt_says_what_is_needed_and_stops(self):
        done = self.run_sh()
        self.assertEqual(done.returncode, 1)
        self.assertIn("no apt", done.stderr)
        self.assertIn("libboost1.81-dev", done.stderr)
        self.assertEqual(self.calls(), "")

    def test_without_root_and_sudo_names_the_command(self):
        self.with_apt(installed=False, uid=1000)
        done = self.run_sh()
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install --no-install-recommends g++\n", done.stderr)
        self.assertEqual(self.calls(), "")

    def test_installs_only_what_is_missing_then_builds_and_serves(self):
        self.with_apt(installed=False)
        done = self.run_sh("--port", "0", "a b")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("serving with: serve --port 0 a b\n", done.stdout)
        install = [line for line in self.calls().splitlines() if " install " in line]
        self.assertEqual(len(install), 1)
        self.assertTrue(install[0].endswith(" g++"), install)
        self.assertIn("cmake --build build --target hymt", self.calls())

    def test_uses_sudo_where_there_is_one(self):
        self.with_apt(installed=False, uid=1000)
        self.fake("sudo", '#!/bin/bash\necho sudo >> "$LOG"\nexec "$@"\n')
        self.assertEqual(self.run_sh().returncode, 0)
        self.assertTrue(self.calls().startswith("sudo\napt-get "), self.calls())

    def test_asks_apt_for_nothing_where_all_is_installed(self):
        self.with_apt(installed=True)
        self.assertEqual(self.run_sh().returncode, 0)
        self.assertNotIn("apt-get", self.calls())

    def test_builds_nothing_on_a_second_start(self):
        self.with_apt(installed=True)
        self.run_sh()
        self.log.write_text("")
        self.assertIn("serving", self.run_sh().stdout)
        self.assertEqual(self.calls(), "")

    def test_builds_again_after_a_source_changed(self):
        self.with_apt(installed=True)
        self.run_sh()
        self.log.write_text("")
        (self.tree / "src" / "new.cc").touch()
        self.run_sh()
        self.assertIn("cmake --build", self.calls())

    def test_configures_anew_where_the_tree_was_moved(self):
        self.with_apt(installed=True)
        self.run_sh()
        self.tree = self.tree.rename(self.tree.parent / "elsewhere")
        self.log.write_text("")
        self.assertIn("serving", self.run_sh().stdout)
        self.assertIn("cmake --fresh --preset release", self.calls())

    def test_serves_in_the_caller_s_folder(self):
        """So that --model names a file as the caller sees it."""
        self.with_apt(installed=True)
        self.assertIn(f"in: {self.bin}\n", self.run_sh(cwd=self.bin).stdout)

    def test_stops_where_the_build_fails(self):
        self.with_apt(installed=True)
        self.fake("cmake", FAKE_CMAKE.replace("cp server build/hymt", "exit 1"))
        done = self.run_sh()
        self.assertEqual(done.returncode, 1)
        self.assertIn("The build failed", done.stderr)
        self.assertNotIn("serving", done.stdout)

    def test_passes_the_server_s_status_on(self):
        self.with_apt(installed=True)
        self.script(self.tree / "server", "#!/bin/bash\nexit 2\n")
        self.assertEqual(self.run_sh().returncode, 2)

    def test_gives_signals_to_the_server(self):
        self.with_apt(installed=True)
        self.script(self.tree / "server", "#!/bin/bash\ntrap 'exit 7' TERM\necho up\nwhile :; do sleep 0.05; done\n")
        environment = {"PATH": str(self.bin), "LOG": str(self.log), "HYMT_OPEN": "0"}
        with subprocess.Popen([str(self.tree / "run.sh")], env=environment, text=True,
                              stdout=subprocess.PIPE) as process:
            while process.stdout.readline() != "up\n":
                pass
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(30), 7)

    def test_opens_the_page_where_a_desktop_is(self):
        self.with_apt(installed=True)
        self.script(self.tree / "server", f"""#!{shutil.which('python3')}
import os, socket, time
with socket.create_server(("127.0.0.1", 0)) as s:
    print("port", s.getsockname()[1], flush=True)
    while not os.path.exists({str(self.tree / 'stop')!r}):
        time.sleep(0.05)
""")
        environment = {"PATH": str(self.bin), "LOG": str(self.log), "DISPLAY": ":0"}
        with subprocess.Popen([str(self.tree / "run.sh")], env=environment, text=True,
                              stdout=subprocess.PIPE) as process:
            lines = iter(process.stdout.readline, "")
            port = next(line for line in lines if line.startswith("port ")).split()[1]
            while "xdg-open" not in self.calls():
                self.assertIsNone(process.poll())
            (self.tree / "stop").touch()
        self.assertEqual(self.calls().splitlines()[-1], f"xdg-open http://127.0.0.1:{port}")


if __name__ == "__main__":
    unittest.main()
