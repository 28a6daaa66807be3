# SPDX-License-Identifier: Apache-2.0
"""What a profile and its reports display in a notebook: facts, and the page in a frame."""

import html.parser
import os
import tempfile
import unittest
from unittest import mock

from support import sample

import tfprof
from tfprof import _notebook

TRACE = sample('pytorch/train.json')


class Elements(html.parser.HTMLParser):
    """The elements of a text: (name, attributes)."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def named(self, name):
        return [attributes for tag, attributes in self.found if tag == name]


def frame(text):
    """The frame of a cell, and the elements of the page inside."""
    frames = Elements(text).named('iframe')
    assert len(frames) == 1, len(frames)
    return frames[0], Elements(frames[0]['srcdoc'])


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = tfprof.open(TRACE)

    def test_a_profile_shows_facts_and_its_page(self):
        text = self.profile._repr_html_()
        self.assertIn('<table>', text[: text.index('<iframe')])
        attributes, inside = frame(text)
        self.assertEqual(attributes['sandbox'], 'allow-scripts allow-downloads')
        self.assertGreater(len([a for a in inside.named('script') if 'data-ask' in a]), 5)
        self.assertLess(len(text), 2 << 20)

    def test_the_cell_has_the_page_and_nothing_else(self):
        """The page is the value of an attribute; nothing in it may end that attribute."""
        page = self.profile.show()
        attributes, _ = frame(page._repr_html_())
        self.assertEqual(attributes['srcdoc'], page.html)
        self.assertEqual({tag for tag, _ in Elements(page._repr_html_()).found}, {'iframe'})

    def test_nothing_is_loaded_from_elsewhere(self):
        _, inside = frame(self.profile.show()._repr_html_())
        for tag, attributes in inside.found:
            for name in ('src', 'href'):
                told = attributes.get(name) or ''
                self.assertFalse('//' in told, (tag, told))
        policy = [a['content'] for a in inside.named('meta') if a.get('http-equiv')]
        self.assertIn("default-src 'none'", policy[0])

    def test_places(self):
        for place, got in (
            ('timeline', self.profile.show('timeline')),
            ('flame', self.profile.scope().show()),
            ('table?by=op', self.profile.op().show()),
            ('steps', self.profile.step_table().show()),
            ('timeline', self.profile.records('spans').show()),
        ):
            _, inside = frame(got._repr_html_())
            told = [a['content'] for a in inside.named('meta') if a.get('name') == 'tfprof-place']
            self.assertEqual(told, [place])

    def test_every_view_has_a_place(self):
        for view in tfprof.names('views'):
            place = _notebook.place_of(view).split('?')[0]
            self.assertIn(place, _notebook.PLACES)

    def test_names_of_files_are_escaped(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, '"><script>alert(1)<.json')
            with open(TRACE, 'rb') as given, open(path, 'wb') as out:
                out.write(given.read())
            text = tfprof.open(path)._repr_html_()
        _, inside = frame(text)
        self.assertEqual(Elements(text).named('script'), [])
        self.assertEqual([a for a in inside.named('script') if not a], [])

    def test_bytes_in_memory(self):
        with open(TRACE, 'rb') as given:
            text = tfprof.open(given.read())._repr_html_()
        self.assertGreater(len(frame(text)[0]['srcdoc']), 100000)

    def test_height(self):
        attributes, _ = frame(self.profile.show(height=321)._repr_html_())
        self.assertEqual(attributes['height'], '321')

    def test_save(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'page.html')
            self.profile.show().save(path)
            with open(path, encoding='utf-8') as file:
                self.assertTrue(file.read().startswith('<!doctype html'))

    def test_faults(self):
        with self.assertRaisesRegex(tfprof.UsageError, "no place 'nowhere': one of overview"):
            self.profile.show('nowhere')
        with self.assertRaisesRegex(tfprof.OutputError, 'max-size'):
            self.profile.show(max_mb=0)
        closed = tfprof.open(TRACE)
        closed.close()
        self.assertIsNone(closed._repr_html_())
        with self.assertRaises(tfprof.UsageError):
            closed.show()

    def test_without_the_program(self):
        with mock.patch('tfprof.__main__.program', return_value=None):
            text = self.profile._repr_html_()
            with self.assertRaisesRegex(tfprof.UsageError, 'came without the program'):
                self.profile.show()
        self.assertIn('<table>', text)
        self.assertNotIn('<iframe', text)
        self.assertIn('came without the program', text)
