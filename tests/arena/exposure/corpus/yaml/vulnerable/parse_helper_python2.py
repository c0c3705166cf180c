#!/usr/bin/python
# -*- coding: utf-8 -*-
import urllib2
import yaml


def fetch(url):
    return urllib2.urlopen(url).read()


def parse(text):
    result = yaml.load(text)
    print("got %d entries" % len(result))
    return result


class Feed(object):
    def __init__(self, url):
        self.entries = parse(fetch(url))
