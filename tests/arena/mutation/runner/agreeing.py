"""Small test modules over pytest's common features, each to be run by the test runner and by pytest itself."""

from __future__ import annotations

PROGRAM = """
class Shop:
    def __init__(self):
        self.items = {}

    def put(self, name, count=1):
        if count < 0:
            raise ValueError(f"count: {count} is negative")
        self.items[name] = count
        return dict(self.items)


def add(a, b):
    return a + b


def words(text):
    return text.split()


def boom(kind=RuntimeError):
    raise kind("boom")
"""

# What needs nothing of pytest's own machinery.
PLAIN: dict[str, str] = {
    "pass": "def test_a():\n    assert add(1, 2) == 3\n",
    "compare": "def test_a():\n    assert add(1, 2) == 4\n",
    "message": "def test_a():\n    assert add(1, 2) == 4, 'wrong sum'\n",
    "message_percent": "def test_a():\n    assert '100%' == 'x' and add(1, 2), '50% of %s'\n",
    "texts": "def test_a():\n    assert 'one two' == 'one tw0'\n",
    "long_texts": "def test_a():\n    assert 'a\\n' * 60 == 'a\\n' * 59 + 'b'\n",
    "lists": "def test_a():\n    assert words('a b c') == ['a', 'x', 'c']\n",
    "dicts": "def test_a():\n    assert {'a': 1, 'b': 2} == {'a': 1, 'b': 3}\n",
    "sets": "def test_a():\n    assert {1, 2} == {2, 3}\n",
    "in_text": "def test_a():\n    assert 'x' in 'abc'\n",
    "not_in": "def test_a():\n    assert 'a' not in 'abc'\n",
    "bool_ops": "def test_a():\n    x = 3\n    assert x > 5 or x < 1\n",
    "negated": "def test_a():\n    assert not add(1, 1)\n",
    "call_chain": "def test_a():\n    assert Shop().put('a').get('b')\n",
    "is_none": "def test_a():\n    assert add(1, 1) is None\n",
    "isinstance": "def test_a():\n    assert isinstance(add(1, 1), str)\n",
    "long_list": "def test_a():\n    assert list(range(200)) == list(range(1, 201))\n",
    "raises_ok": "import pytest\ndef test_a():\n    with pytest.raises(ValueError, match='negative'):\n        Shop().put('a', -1)\n",
    "raises_not": "import pytest\ndef test_a():\n    with pytest.raises(ValueError):\n        Shop().put('a', 1)\n",
    "raises_other": "import pytest\ndef test_a():\n    with pytest.raises(ValueError):\n        boom()\n",
    "raises_match": "import pytest\ndef test_a():\n    with pytest.raises(ValueError, match='odd'):\n        Shop().put('a', -1)\n",
    "error": "def test_a():\n    boom()\n",
    "error_key": "def test_a():\n    boom(KeyError)\n",
    "name_error": "def test_a():\n    nothing\n",
    "fail": "import pytest\ndef test_a():\n    pytest.fail('because')\n",
    "skip": "import pytest\ndef test_a():\n    pytest.skip('because')\n",
    "xfail_call": "import pytest\ndef test_a():\n    pytest.xfail('because')\n",
    "warns_not": "import pytest\ndef test_a():\n    with pytest.warns(UserWarning):\n        add(1, 1)\n",
    "approx": "import pytest\ndef test_a():\n    assert add(.1, .2) == pytest.approx(.4)\n",
    "returns": "def test_a():\n    return add(1, 1)\n",
    "system_exit": "import sys\ndef test_a():\n    sys.exit(3)\n",
    "several": "def test_b():\n    assert 0\ndef test_a():\n    pass\ndef test_c():\n    assert 1 == 2\n",
    "empty_assert": "def test_a():\n    assert False\n",
    "walrus": "def test_a():\n    assert (n := add(1, 1)) == 3, n\n",
    "comprehension": "def test_a():\n    assert all(x > 1 for x in [1, 2])\n",
}

# What pytest's collection, fixtures or marks have a part in.
WHOLE: dict[str, str] = {
    "parametrize": "import pytest\n@pytest.mark.parametrize('a,b', [(1, 2), (3, 'x'), pytest.param(1, 1, id='same')])\ndef test_a(a, b):\n    assert add(a, 1) == b\n",
    "parametrize_twice": "import pytest\n@pytest.mark.parametrize('a', [1, 2])\n@pytest.mark.parametrize('b', ['x', None])\ndef test_a(a, b):\n    assert a == 1\n",
    "class": "class TestShop:\n    def setup_method(self):\n        self.shop = Shop()\n    def test_put(self):\n        assert self.shop.put('a') == {'a': 2}\n    def test_ok(self):\n        assert self.shop.put('a')\n",
    "class_setup": "class TestA:\n    @classmethod\n    def setup_class(cls):\n        cls.n = 1\n    @classmethod\n    def teardown_class(cls):\n        raise ValueError('late')\n    def test_a(self):\n        assert self.n == 1\n",
    "unittest": "import unittest\nclass ShopCase(unittest.TestCase):\n    def setUp(self):\n        self.shop = Shop()\n    def test_eq(self):\n        self.assertEqual(self.shop.put('a'), {'a': 2})\n    def test_raises(self):\n        with self.assertRaises(KeyError):\n            self.shop.put('a', 1)\n    def test_ok(self):\n        self.assertIn('a', self.shop.put('a'))\n    @unittest.skip('later')\n    def test_skip(self):\n        pass\n    def test_error(self):\n        boom()\n",
    "unittest_setup": "import unittest\nclass A(unittest.TestCase):\n    def setUp(self):\n        boom()\n    def test_a(self):\n        pass\n",
    "unittest_class": "import unittest\nclass A(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        boom()\n    def test_a(self):\n        pass\n",
    "expected_failure": "import unittest\nclass A(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_a(self):\n        assert False\n    @unittest.expectedFailure\n    def test_b(self):\n        pass\n",
    "fixture": "import pytest\n@pytest.fixture\ndef shop():\n    s = Shop()\n    s.put('a')\n    yield s\n    s.items.clear()\ndef test_a(shop):\n    assert shop.items == {}\n",
    "fixture_of_fixture": "import pytest\n@pytest.fixture(scope='module')\ndef base():\n    return []\n@pytest.fixture\ndef more(base):\n    base.append(1)\n    return base\ndef test_a(more):\n    assert more == [1]\ndef test_b(more):\n    assert more == [1]\n",
    "fixture_params": "import pytest\n@pytest.fixture(params=[1, 2], ids=['one', 'two'])\ndef n(request):\n    return request.param\ndef test_a(n):\n    assert n == 1\n",
    "fixture_fails": "import pytest\n@pytest.fixture\ndef f():\n    raise ValueError('no')\ndef test_a(f):\n    pass\n",
    "fixture_teardown": "import pytest\n@pytest.fixture\ndef f():\n    yield 1\n    raise ValueError('no')\ndef test_a(f):\n    pass\n",
    "autouse": "import pytest\n@pytest.fixture(autouse=True)\ndef f(monkeypatch):\n    monkeypatch.setenv('X', '1')\ndef test_a():\n    import os\n    assert os.environ['X'] == '2'\n",
    "tmp_path": "def test_a(tmp_path):\n    (tmp_path / 'a').write_text('x')\n    assert (tmp_path / 'a').read_text() == 'y'\n",
    "tmp_path_factory": "def test_a(tmp_path_factory):\n    assert tmp_path_factory.mktemp('x').is_dir()\n",
    "capsys": "def test_a(capsys):\n    print('out')\n    assert capsys.readouterr().out == 'out'\n",
    "capfd": "import os\ndef test_a(capfd):\n    os.write(1, b'out')\n    assert capfd.readouterr().out == 'out'\n",
    "caplog": "import logging\ndef test_a(caplog):\n    logging.getLogger('x').error('bad')\n    assert caplog.messages == ['good']\n",
    "recwarn": "import warnings\ndef test_a(recwarn):\n    warnings.warn('w')\n    assert len(recwarn) == 1\n",
    "monkeypatch": "import target_module\ndef test_a(monkeypatch):\n    monkeypatch.setattr(target_module, 'add', lambda a, b: 0)\n    assert target_module.add(1, 1) == 2\n",
    "skip_mark": "import pytest\n@pytest.mark.skip(reason='r')\ndef test_a():\n    pass\n@pytest.mark.skipif(True, reason='q')\ndef test_b():\n    pass\n",
    "xfail_mark": "import pytest\n@pytest.mark.xfail(reason='r')\ndef test_a():\n    assert 0\n@pytest.mark.xfail\ndef test_b():\n    pass\n@pytest.mark.xfail(strict=True, reason='s')\ndef test_c():\n    pass\n@pytest.mark.xfail(raises=KeyError)\ndef test_d():\n    assert 0\n@pytest.mark.xfail(run=False)\ndef test_e():\n    assert 0\n",
    "setup_module": "def setup_module(m):\n    m.n = 1\ndef setup_function(f):\n    global n\n    n += 1\ndef test_a():\n    assert n == 1\n",
    "usefixtures": "import pytest\nseen = []\n@pytest.fixture\ndef f():\n    seen.append(1)\n@pytest.mark.usefixtures('f')\ndef test_a():\n    assert seen == []\n",
    "missing_fixture": "def test_a(nothing_like_this):\n    pass\n",
    "filterwarnings": "import pytest, warnings\n@pytest.mark.filterwarnings('error')\ndef test_a():\n    warnings.warn('w')\n",
    "async": "import pytest\nasync def test_a():\n    assert False\n",
    "generate": "def pytest_generate_tests(metafunc):\n    metafunc.parametrize('v', [1, 2])\ndef test_a(v):\n    assert v == 1\n",
    "mock_patch": "from unittest import mock\n@mock.patch('target_module.add', return_value=5)\ndef test_a(m):\n    import target_module\n    assert target_module.add(1, 1) == 6\n",
    "default_argument": "def test_a(x=1):\n    assert x == 2\n",
}
