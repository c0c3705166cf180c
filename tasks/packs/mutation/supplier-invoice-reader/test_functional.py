from decimal import Decimal

import pytest


def read(tmp_path, text, known=("nails",)):
    (tmp_path / "in.xml").write_text(text, encoding="utf-8")
    return InvoiceReader(set(known)).read(tmp_path / "in.xml")


def test_invoice(tmp_path):
    text = '<?xml version="1.0"?><!-- may --><invoice supplier="nails" number="7"><line count="2" price="1.50"> Hooks &amp; eyes </line><?x y?><line count="1" price="10">Saw</line></invoice>'
    invoice = read(tmp_path, text)
    assert invoice.lines == (("Hooks & eyes", 2, Decimal("1.50")), ("Saw", 1, Decimal(10))), "its lines"
    assert (invoice.supplier, invoice.number, invoice.total) == ("nails", "7", Decimal("13.00")), "head and sum"


def test_unknown_supplier(tmp_path):
    with pytest.raises(InvoiceError):
        read(tmp_path, '<invoice supplier="wood" number="1"/>')


@pytest.mark.parametrize("line", ['<line count="0" price="1">a</line>', '<line count="1" price="1.234">a</line>', '<line count="1" price="100000.01">a</line>', '<line count="1" price="1"/>', '<row count="1" price="1">a</row>', "<line>a</line>"])
def test_bad_lines(tmp_path, line):
    with pytest.raises(InvoiceError):
        read(tmp_path, f'<invoice supplier="nails" number="1">{line}</invoice>')


def test_no_document(tmp_path):
    for text in ("", "<invoice", "<bill supplier='nails' number='1'/>"):
        with pytest.raises(InvoiceError):
            read(tmp_path, text)
    with pytest.raises(InvoiceError):
        InvoiceReader(set()).read(tmp_path / "missing.xml")
