# SPDX-License-Identifier: Apache-2.0
"""What pip builds: an sdist, a wheel, and that wheel alone in an empty environment.

By default the wheel is the one that tools/python.sh built of this tree, and a test shows that the sdist has every file that
went into it. With TFP_WHOLE, or if tools/python.sh did not run, the wheel is compiled from the sdist, which takes 60 s more
of processor time.

The wheel is tried with every interpreter of 3.10 and later that is at hand, without any other package: no numpy, no
protobuf, no TensorFlow. The extension is one file for all of them.
"""
import csv
import glob
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SAMPLE = os.path.join(ROOT, "tests", "data", "sample", "dense", "profile_3.gz")
# The tests must not depend on the caller's environment.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
# pip's Meson and Ninja, which are installed beside this interpreter
BUILDING = dict(CLEAN, PATH=os.path.join(sys.prefix, "bin") + os.pathsep + CLEAN["PATH"], PIP_NO_INDEX="1",
                PIP_DISABLE_PIP_VERSION_CHECK="1")
# built by tools/python.sh; the library and the program are taken from it
BUILT = os.path.join(ROOT, "build-python")
RELEASE = os.path.join(ROOT, "build")
COMPILED_IN = [os.path.join(BUILT, "meson"), RELEASE]
# the extension, and RE2 under a name of its own
COMPILED = ["tfprof/_native.abi3.so", "tfprof/_regex.so"]


def run(*command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=300, **dict({"env": BUILDING, "cwd": tempfile.gettempdir()}, **more))


def build(source, kind, target, *settings):
    done = run(sys.executable, "-m", "build", kind, "--no-isolation", "--skip-dependency-check", *settings, "-o", target, source)
    if done.returncode:
        raise AssertionError(f"{kind}: {(done.stdout + done.stderr)[-3000:]}")
    [made] = glob.glob(os.path.join(target, "*.tar.gz" if kind == "--sdist" else "*.whl"))
    return made


def interpreters():
    """(version, path) of this interpreter, and of one interpreter for each other installed version."""
    found = {sys.version_info[:2]: sys.executable}
    places = [os.path.join(folder, "python3.*") for folder in CLEAN["PATH"].split(os.pathsep)]
    places.append(os.path.join(os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv"),
                               "versions", "*", "bin", "python3.*"))
    for path in sum(map(glob.glob, places), []):
        named = re.fullmatch(r"python3\.(\d+)", os.path.basename(path))
        if named and int(named[1]) >= 10 and run(path, "-c", "import venv").returncode == 0:
            found.setdefault((3, int(named[1])), path)
    return sorted(found.items())


EXTRAS = {"tfprof.spark": "pyspark"}  # modules that need another package; an extra installs it


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.mkdtemp(prefix="tfprof-wheel-")
        cls.addClassCleanup(shutil.rmtree, cls.scratch, ignore_errors=True)
        cls.sdist = build(ROOT, "--sdist", os.path.join(cls.scratch, "sdist"))
        with tarfile.open(cls.sdist) as archive:
            archive.extractall(cls.scratch)
        # built from the sdist, so a file that git does not know is missing
        cls.source = cls.sdist_folder()
        built = glob.glob(os.path.join(BUILT, "dist", "*.whl"))
        finished = os.path.exists(os.path.join(BUILT, "installed"))
        cls.compiled = bool(os.environ.get("TFP_WHOLE")) or len(built) != 1 or not finished
        # Compiled without much optimization, because the tests do not depend on it.
        cls.wheel = build(cls.source, "--wheel", os.path.join(cls.scratch, "wheel"),
                          "-Csetup-args=-Doptimization=0") if cls.compiled else built[0]
        with zipfile.ZipFile(cls.wheel) as archive:
            cls.files = {info.filename: archive.read(info) for info in archive.infolist()}
            cls.modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
        cls.environment = cls.installed(sys.executable, "here")

    @classmethod
    def sdist_folder(cls):
        [folder] = [path for path in glob.glob(os.path.join(cls.scratch, "tfprof-*")) if os.path.isdir(path)]
        return folder

    @classmethod
    def installed(cls, python, name):
        """Makes a new environment with only the wheel; returns its bin folder."""
        where = os.path.join(cls.scratch, name)
        for command in ([python, "-m", "venv", "--without-pip", where],
                        [sys.executable, "-m", "pip", "--python", os.path.join(where, "bin", "python"), "install", "-q",
                         "--no-deps", cls.wheel]):
            done = run(*command)
            if done.returncode:
                raise AssertionError(f"{command}: {done.stderr[-2000:]}")
        return os.path.join(where, "bin")

    def python(self, *arguments, folder=None):
        return run(os.path.join(folder or self.environment, "python"), "-I", *arguments)

    def told(self, done):
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done.stdout

    def dist_info(self, name):
        return next(data for path, data in self.files.items() if path.endswith(".dist-info/" + name)).decode()

    def test_the_sdist_has_all_that_a_build_reads(self):
        """The build can be configured, each step finds its inputs, and each header that the compiler
        read is included."""
        if self.compiled:
            self.skipTest("the wheel was compiled from it")
        made = os.path.join(self.scratch, "configured")
        self.told(run("meson", "setup", made, self.source, "-Dpython=true", "-Dtests=false"))
        self.told(run("ninja", "-C", made, "-n"))
        ours = {os.path.relpath(path, ROOT) for folder in COMPILED_IN for path in self.read_in(folder)
                if path.startswith(ROOT + os.sep) and not any(path.startswith(built + os.sep) for built in COMPILED_IN)}
        self.assertGreater(len([name for name in ours if name.endswith(".h")]), 50)
        # the sdist is what is committed
        changed = self.told(run("git", "-C", ROOT, "status", "--porcelain", "--untracked-files=all"))
        missing = [name for name in sorted(ours) if not os.path.exists(os.path.join(self.source, name))]
        self.assertFalse([name for name in missing if name not in changed and os.path.exists(os.path.join(ROOT, name))])

    def read_in(self, folder):
        """The files that the compiler read in a build."""
        # each by the Ninja that built it, because another version would restart its log
        told = self.told(run("ninja", "-C", folder, "-t", "deps", env=CLEAN if folder == RELEASE else BUILDING))
        return {os.path.normpath(os.path.join(folder, line.strip())) for line in told.splitlines() if line[:1] == " "}

    def test_one_file_serves_every_interpreter_from_3_10_on(self):
        self.assertRegex(os.path.basename(self.wheel), r"^tfprof-[0-9.]+-cp310-abi3-\w*linux\w*\.whl$")
        self.assertRegex(self.dist_info("WHEEL"), r"(?m)^Tag: cp310-abi3-\w+$")
        self.assertIn("Root-Is-Purelib: false", self.dist_info("WHEEL"))
        self.assertCountEqual([name for name in self.files if name.endswith(".so")], COMPILED)

    def test_the_wheel_holds_the_package_the_extension_and_the_program(self):
        base = os.path.join(self.source, "python")
        sources = [os.path.relpath(os.path.join(folder, name), base)
                   for folder, _, names in os.walk(os.path.join(base, "tfprof")) for name in names]
        package = [name for name in self.files if name.startswith("tfprof/")]
        self.assertCountEqual(package, sources + ["tfprof/_build.py", *COMPILED])
        others = [name for name in self.files if not name.startswith("tfprof/") and ".dist-info/" not in name]
        [program] = others
        self.assertRegex(program, r"^tfprof-[0-9.]+\.data/scripts/tfprof$")
        self.assertTrue(self.modes[program] & 0o111, "the program cannot be run")

    def test_the_record_lists_every_file(self):
        record = [row[0] for row in csv.reader(io.StringIO(self.dist_info("RECORD")))]
        self.assertCountEqual(record, list(self.files))

    def test_metadata(self):
        metadata = self.dist_info("METADATA")
        with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as f:
            version = re.search(r"version: '([^']+)'", f.read())[1]
        self.assertIn(f"\nVersion: {version}\n", metadata)
        self.assertIn("\nRequires-Python: >=3.10\n", metadata)
        needs = re.findall(r"(?m)^Requires-Dist: (.*)$", metadata)
        self.assertTrue(all("extra ==" in need for need in needs), needs)

    def test_the_extension_shows_only_its_entry(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as f:
            f.write(self.files["tfprof/_native.abi3.so"])
            f.flush()
            defined = self.told(run("nm", "-D", "--defined-only", f.name)).split("\n")
        self.assertEqual([line.split()[-1] for line in defined if line], ["PyInit__native"])

    def links(self, name):
        """The libraries that a file of the wheel needs from the loader."""
        with tempfile.NamedTemporaryFile() as f:
            f.write(self.files[name])
            f.flush()
            return re.findall(r"NEEDED\s+(\S+)", self.told(run("objdump", "-p", f.name)))

    def test_only_the_regex_file_links_re2(self):
        """TensorFlow exports its own RE2 under the same names to the process; the extension must not need
        them."""
        self.assertFalse([library for library in self.links("tfprof/_native.abi3.so") if "re2" in library])
        self.assertTrue([library for library in self.links("tfprof/_regex.so") if "re2" in library])

    def test_it_says_what_it_links(self):
        info = json.loads(self.told(self.python(
            "-c", "import json, tfprof; print(json.dumps(tfprof.build_info()))")))
        lines = self.told(self.python("-m", "tfprof", "--build"))
        compiled = COMPILED + [name for name in self.files if "/scripts/" in name]
        self.assertCountEqual(info["links"], map(os.path.basename, compiled))
        for name in compiled:
            told, file = self.links(name), os.path.basename(name)
            self.assertEqual(info["links"][file], told)
            self.assertIn(f"{file} links: {' '.join(told)}\n", lines)
            # the library is linked statically
            self.assertFalse([library for library in told if "tfprof" in library])
        self.assertEqual(info["libraries"]["zlib"], self.told(run("pkg-config", "--modversion", "zlib")).strip())
        self.assertIn(f"\nVersion: {info['version']}\n", self.dist_info("METADATA"))

    def test_the_program_runs(self):
        program = os.path.join(self.environment, "tfprof")
        self.assertIn("tfprof VERB", self.told(run(program, "help")))
        shown = self.told(run(program, "scope", SAMPLE, "-select", "params", "-max_depth", "2"))
        self.assertIn("_TFProfRoot (--/", shown)
        self.assertEqual(self.told(self.python("-m", "tfprof", "scope", SAMPLE, "-select", "params", "-max_depth", "2")),
                         shown)

    def test_the_program_has_the_page(self):
        """If the page could be built, the sdist has it, and the wheel uses only that."""
        if not os.path.exists(os.path.join(self.source, "web", "dist", "index.html")):
            self.skipTest("the page could not be built here")
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "report.html")
            self.told(self.python("-m", "tfprof", "report", SAMPLE, "-o", page))
            with open(page, encoding="utf-8") as f:
                text = f.read()
        self.assertIn("<script", text)
        self.assertGreater(len(text), 100000)

    def test_python_m_tfprof_hands_on_status_and_errors(self):
        for words, status in ((["scope", "/nothing/here"], 1), (["scope", SAMPLE, "-no_such_option"], 2)):
            ours = self.python("-m", "tfprof", *words)
            its = run(os.path.join(self.environment, "tfprof"), *words)
            self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (status, its.stdout, its.stderr))

    def test_every_interpreter_opens_a_profile_with_nothing_else_installed(self):
        script = "\n".join([
            "import sys, tfprof",
            f"print(tfprof.open({SAMPLE!r}).scope(select=['params'], max_depth=2))",
            "foreign = {'numpy', 'google', 'tensorflow', 'pandas', 'pyarrow'} & set(sys.modules)",
            "assert not foreign, foreign",
        ])
        program = os.path.join(self.environment, "tfprof")
        shown = self.told(run(program, "scope", SAMPLE, "-select", "params", "-max_depth", "2"))
        tried = interpreters()
        for version, path in tried:
            with self.subTest(python=version):
                folder = self.environment if path == sys.executable else self.installed(path, "python%d.%d" % version)
                self.assertEqual(self.told(self.python("-c", script, folder=folder)).strip(), shown.strip())

    def test_every_module_imports_with_nothing_else_installed(self):
        modules = sorted(name[:-len(".py")].replace("/", ".").replace(".__init__", "") for name in self.files
                         if name.startswith("tfprof/") and name.endswith(".py") and "__main__" not in name)
        self.assertGreater(len(modules), 5)
        for module in modules:
            with self.subTest(module=module):
                if module in EXTRAS:
                    done = self.python("-W", "error", "-c", f"import {module}")
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(f"No module named '{EXTRAS[module]}'", done.stderr)
                else:
                    self.told(self.python("-W", "error", "-c", f"import {module}"))


class Packages(unittest.TestCase):
    """If Debian packages are missing, the build names them."""

    def told(self, **environment):
        asked = ("import sys; sys.path.insert(0, %r); import backend; print(*backend.missing_packages())\n"
                 "backend.check_packages()" % os.path.join(ROOT, "python", "pack"))
        done = run(sys.executable, "-c", asked, env=dict(BUILDING, **environment))
        return done.stdout.split(), done

    def test_nothing_is_missing_here(self):
        missing, done = self.told()
        self.assertEqual((missing, done.returncode), ([], 0), done.stderr)

    def test_all_are_named_with_the_command(self):
        with tempfile.TemporaryDirectory() as empty:
            missing, done = self.told(PATH=empty, CC="", CXX="", PKG_CONFIG="")
        self.assertEqual(done.returncode, 1)
        self.assertIn("sudo apt-get install -y --no-install-recommends " + " ".join(missing), done.stderr)
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as f:
            told = re.search(r"apt install (.*?)\n    pip install", f.read(), re.S)[1].replace("\\\n", " ").split()
        self.assertCountEqual(set(told) - {"python3-dev", "python3-pip"}, set(missing) - {"python3-dev"})
