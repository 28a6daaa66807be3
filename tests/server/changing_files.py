# SPDX-License-Identifier: Apache-2.0
"""Files that appear, change and disappear while they are served, and links among them."""
import os
import shutil
import tempfile
import threading
import time

from checking import PROFILE, check, serving, wait_for
from serving import SAMPLE


def test_new_and_changed_files(_):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(f"{SAMPLE}/odd/profile_5", folder + "/profile_1")
        with serving(folder) as s:
            p = s.id_of("profile_1")
            n = s.api(f"profiles/{p}").json()["nodes"]
            since = s.get("/api/v1/changes").json()["changed"]
            waiting = threading.Thread(target=lambda: changes.append(s.get(f"/api/v1/changes?since={since}", timeout=30).json()))
            changes = []
            waiting.start()
            time.sleep(0.5)  # that no answer comes has no event to wait for
            check(not changes, "nothing changed yet")
            shutil.copy(f"{SAMPLE}/{PROFILE}", folder + "/.new")
            os.rename(folder + "/.new", folder + "/profile_2")
            waiting.join(timeout=15)
            check(changes and changes[0]["changed"] != since, "who waits is told")
            check([q["name"] for q in s.profiles()] == ["profile_1", "profile_2"], "a new file")
            shutil.copy(f"{SAMPLE}/{PROFILE}", folder + "/profile_1")
            check(wait_for(lambda: s.api(f"profiles/{p}").json().get("nodes") not in (n, None)), "a changed file is read again")
            with open(folder + "/profile_1", "wb") as f:
                f.write(b"nonsense" * 100)
            with open(folder + "/config.json", "w") as f:
                f.write('{"hidden_size": 768, "schedule": [{"ph": 1}]}')
            check(wait_for(lambda: all(q["name"] != "profile_1" for q in s.profiles())),
                  "what is no profile any more goes")
            os.remove(folder + "/profile_2")
            check(wait_for(lambda: not s.profiles()), "what is gone goes")
            whole = open(f"{SAMPLE}/odd/profile_5", "rb").read()
            with open(folder + "/profile_3", "wb") as f:
                for at in range(0, len(whole), 800):
                    f.write(whole[at:at + 800])
                    f.flush()
                    for q in s.profiles():
                        s.get(f"/api/v1/profiles/{q['id']}")
                    time.sleep(0.02)  # the speed at which the file grows
            check(wait_for(lambda: any(s.api(f"profiles/{q['id']}").json().get("nodes") == n for q in s.profiles())), "a file that was being written")


def test_folders_inside_each_other_are_at_rest(_):
    """A file that is in two of the folders is one profile, and as long as no file changes, the list
    does not change."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder + "/a/b")
        shutil.copy(f"{SAMPLE}/odd/profile_5", folder + "/a/b/profile_5")
        with serving(folder, folder + "/a", folder + "/a/b") as s:
            since = s.get("/api/v1/changes").json()["changed"]
            check([q["name"] for q in s.profiles()] == ["a/b/profile_5"], f"one profile: {s.profiles()}")
            time.sleep(7)  # the server looks every two seconds; that it finds nothing has no event
            check(s.get("/api/v1/changes").json()["changed"] == since, "the list is as it was")
            shutil.copy(f"{SAMPLE}/{PROFILE}", folder + "/a/b/profile_5")
            check(wait_for(lambda: s.get("/api/v1/changes").json()["changed"] != since), "a change is noticed")


def test_links_do_not_lead_out(_):
    with tempfile.TemporaryDirectory() as folder:
        inside, outside = folder + "/in", folder + "/out"
        os.makedirs(inside)
        os.makedirs(outside)
        shutil.copy(f"{SAMPLE}/odd/profile_5", outside + "/profile_5")
        shutil.copytree(f"{SAMPLE}/dense/ckpt_v2", outside + "/ckpt")
        os.symlink(outside + "/profile_5", inside + "/a")
        os.symlink("../out/profile_5", inside + "/b")
        os.symlink(outside, inside + "/c")
        os.symlink(outside + "/ckpt", inside + "/d")
        shutil.copy(f"{SAMPLE}/odd/profile_5", inside + "/e")
        os.symlink("e", inside + "/f")
        for name in os.listdir(outside + "/ckpt"):
            if ".data-" in name:
                os.symlink(f"{outside}/ckpt/{name}", f"{inside}/{name}")
            else:
                shutil.copy(f"{outside}/ckpt/{name}", inside)
        os.mkfifo(inside + "/fifo")
        with serving(inside) as s:
            names = sorted(p["name"] for p in s.profiles() if p["format"] != "checkpoint")
            check(names == ["e", "f"], f"only what lies inside: {names}")
            for p in s.profiles():
                if p["format"] == "checkpoint":
                    answer = s.api(f"profiles/{p['id']}/tensors/value?name=hidden/weights")
                    check(answer.status != 200, "a checkpoint whose values lie outside")
            os.rename(inside, folder + "/moved")
            check(s.api(f"profiles/{s.id_of('e')}").status == 200, "the folder is held, not its name")
