"""Sections of documents that commands write."""

import sys


def test_a_section_is_replaced_and_its_neighbours_stay(root, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(root / "tools"), *sys.path])
    from markdown_text import replace_section
    document = tmp_path / "a.md"
    document.write_text("# A\n\nText.\n\n## B\n\nold\n\n## C\n\nkept\n")
    replace_section(document, "## B", "word " * 40)
    text = document.read_text()
    assert text.startswith("# A\n\nText.\n\n## B\n\nword word")
    assert text.endswith("word\n\n## C\n\nkept\n")
    assert "old" not in text and max(map(len, text.splitlines())) <= 100
    replace_section(document, "## D", "new")
    assert document.read_text() == text + "\n## D\n\nnew\n"
    replace_section(document, "## D", "newer")
    assert document.read_text() == text + "\n## D\n\nnewer\n"
