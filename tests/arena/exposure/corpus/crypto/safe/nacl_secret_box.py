import nacl.secret
import nacl.utils
import argparse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("note")
    args = parser.parse_args()
    key = nacl.utils.random(nacl.secret.SecretBox.KEY_SIZE)
    box = nacl.secret.SecretBox(key)
    print(box.encrypt(args.note.encode()).hex())


if __name__ == "__main__":
    main()
