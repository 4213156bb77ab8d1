"""What shell commands do to files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.facts.shellfiles import ShellTouch, shell_touches

READS = {
    "cat a.py": [("a.py", None, None)],
    "cat -n a.py b.py": [("a.py", None, None), ("b.py", None, None)],
    "sed -n '10,25p' src/a.py": [("src/a.py", 10, 25)],
    "sed -n 7p a.py": [("a.py", 7, 7)],
    "sed -n '7,$p' a.py": [("a.py", 7, None)],
    "head -n 20 a.py": [("a.py", 1, 20)],
    "head -5 a.py": [("a.py", 1, 5)],
    "head a.py": [("a.py", 1, 10)],
    "tail -n 3 a.py": [("a.py", None, None)],
    "grep -n warp a.py": [("a.py", None, None)],
    "cd looms && cat a.py | head -3": [("looms/a.py", None, None)],
    "cat a.py 2>/dev/null": [("a.py", None, None)],
    "grep -rn warp .": [],
    "ls -l": [],
    "echo cat a.py": [],
    "cat $FILE": [],
}


@pytest.mark.parametrize("command", READS)
def test_reads_and_the_lines_they_ask_for(command: str):
    found = [(touch.path, touch.first_line, touch.last_line) for touch in shell_touches(command) if touch.op == "read"]
    assert found == READS[command]


CHANGES = {
    "echo x > a.txt": "write a.txt",
    "echo x >> a.txt": "write a.txt",
    "make 2>&1 | tee -a out/log.txt": "write out/log.txt",
    "make > /dev/null 2>&1": "",
    "make 2> errors.txt": "write errors.txt",
    "cat > a.py <<'EOF'\nrm b.py > c.py\nEOF": "write a.py",
    "sed -i 's/a/b/' a.py b.py": "edit a.py, edit b.py",
    "sed -i -e 's/a/b/' a.py": "edit a.py",
    "sed -i '' 's/a/b/' a.py": "edit a.py",
    "sed -i.bak 's/a/b/' a.py": "edit a.py",
    "mv a.py b.py": "delete a.py, write b.py",
    "cp -r a b": "write b",
    "rm -f a.py b.py": "delete a.py, delete b.py",
    "git mv a.py b.py": "delete a.py, write b.py",
    "git rm a.py": "delete a.py",
    "git rm --cached a.py": "",
    "git checkout -- a.py": "restore a.py",
    "git checkout HEAD~1 -- a.py": "restore a.py",
    "git restore a.py": "restore a.py",
    "git restore --staged a.py": "",
    "git checkout main": "restore? .",
    "git checkout -b warp": "",
    "git -C looms pull": "restore? .",
    "git stash": "restore? .",
    "git stash list": "",
    "git stash pop": "restore? .",
    "git reset --hard HEAD": "restore? .",
    "git reset a.py": "",
    "git apply fix.patch": "restore? .",
    "git apply --check fix.patch": "",
    "git status": "",
    "ruff format looms": "format? looms",
    "ruff format --check .": "",
    "uv run ruff check --fix": "format? .",
    "ruff check .": "",
    "npx prettier --write src/a.ts": "format? src/a.ts",
    "cargo fmt": "format? .",
    "gofmt -w a.go": "format? a.go",
    "gofmt -l a.go": "",
    "npm run codegen": "generate? .",
    "protoc --go_out=. loom.proto": "generate? .",
    "cd looms; rm a.py": "delete looms/a.py",
    "rm *.pyc": "delete? *.pyc",
    "python - <<'EOF'\nopen('a.py', 'w').write('x')\nEOF": "edit? a.py",
    "python -c \"from pathlib import Path; Path('a.py').write_text('x')\"": "edit? a.py",
    "python -c \"open('a.py').read()\"": "",
}


@pytest.mark.parametrize("command", CHANGES)
def test_changes_and_whether_they_are_certain(command: str):
    """A question mark after the kind of change says that it is only possible; `.` is everything."""
    found = [touch for touch in shell_touches(command) if touch.op not in ("read", "search")]
    assert ", ".join(f"{touch.op}{'' if touch.is_certain else '?'} {touch.path}" for touch in found) == CHANGES[command]


def test_one_file_may_be_read_by_a_search_but_several_are_searched():
    assert shell_touches("grep -n warp a.py b.py") == [ShellTouch("a.py", "search"), ShellTouch("b.py", "search")]


WORDS = st.sampled_from(["cat", "sed", "-n", "-i", "git", "checkout", "--", ">", ">>", "2>&1", "<<EOF", "'", '"', "\n", "a.py",
                         "|", "&&", "cd", "head", "-C", "$(", "`", "1,2p", "mv", "tee", "*"])  # fmt: skip


@given(command=st.lists(WORDS | st.text(max_size=5), max_size=12).map(" ".join))
def test_any_words_at_all_are_taken(command: str):
    assert all(touch.path for touch in shell_touches(command))
