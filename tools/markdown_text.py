"""Markdown that commands write, with its prose wrapped as in documents that people write."""

import pathlib
import re

WIDTH = 100
# At the beginning of a line these would mean a list, a heading, a quotation or a table.
_BEGINS_A_BLOCK = re.compile(r"([-+*]|[#>|].*|\d+[.)])$")
_ITEM = re.compile(r"(- |\d+\. )")


def wrapped(text: str) -> str:
    """`text` with every paragraph and item of a list in lines of at most WIDTH characters, where words allow."""
    out: list[str] = []
    paragraph: list[str] = []
    is_code = False

    def end_paragraph() -> None:
        if paragraph:
            out.extend(_lines(" ".join(paragraph)))
            paragraph.clear()

    for line in text.split("\n"):
        if line.startswith("```"):
            is_code = not is_code
        if is_code or not line.strip() or line.startswith(("```", "|", "#", "<")):
            end_paragraph()
            out.append(line)
        else:
            if _ITEM.match(line):
                end_paragraph()
            paragraph.append(line.strip())
    end_paragraph()
    return "\n".join(out)


def replace_section(document: pathlib.Path, heading: str, body: str) -> None:
    """Writes `body` under that heading ("## Serving"); where there is none yet, at the end."""
    before, _, rest = document.read_text().partition(f"\n{heading}\n")
    _, has_more, after = rest.partition("\n## ")
    more = f"\n## {after}" if has_more else ""
    document.write_text(f"{before.rstrip()}\n\n{heading}\n\n{wrapped(body.strip())}\n{more}")


def _lines(prose: str) -> list[str]:
    item = _ITEM.match(prose)
    indent = " " * len(item.group()) if item else ""
    lines = [""]
    for word in prose.split(" "):
        line = lines[-1]
        if line.strip() and len(line) + 1 + len(word) > WIDTH and not _BEGINS_A_BLOCK.match(word):
            lines.append(indent + word)
        else:
            lines[-1] = f"{line} {word}" if line else word
    return lines
