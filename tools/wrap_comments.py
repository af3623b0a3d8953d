#!/usr/bin/env python3
"""Wraps paragraphs of block comments that begin a line and are wider than 120 characters; formulas and tables stay as they are.
Usage: tools/wrap_comments.py FILE ..."""
import sys
import textwrap

LIMIT = 120


def is_plain(lines):
    return all((l.startswith('   ') and not l.startswith('    ')) or l.startswith('/* ') for l in lines)


def wrap_paragraph(lines):
    if not lines or not is_plain(lines) or max(map(len, lines)) <= LIMIT:
        return lines
    words = ' '.join(l[3:].strip() for l in lines)
    return textwrap.wrap(words, LIMIT - 2, initial_indent=lines[0][:3], subsequent_indent='   ', break_long_words=False,
                         break_on_hyphens=False)


def wrap_comment(lines):
    paragraphs = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(line)
        else:
            paragraphs.append([])
    made = []
    for number, paragraph in enumerate(paragraphs):
        made += ([''] if number else []) + wrap_paragraph(paragraph)
    return made


def wrap_file(path):
    with open(path, encoding='utf-8') as f:
        text = f.read()
    lines, made, i = text.split('\n'), [], 0
    while i < len(lines):
        end = i
        if lines[i].startswith('/*'):
            while '*/' not in lines[end]:
                end += 1
        block = lines[i:end + 1]
        made += wrap_comment(block) if lines[i].startswith('/*') and block[-1].endswith('*/') else block
        i = end + 1
    if made != lines:
        with open(path, 'w', encoding='utf-8') as f:
            f.write('\n'.join(made))


for name in sys.argv[1:]:
    wrap_file(name)
