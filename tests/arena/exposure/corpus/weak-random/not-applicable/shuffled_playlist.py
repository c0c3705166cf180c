import random


class Playlist:
    def __init__(self, songs):
        self.songs = list(songs)

    def next(self):
        random.shuffle(self.songs)
        return self.songs[0]
