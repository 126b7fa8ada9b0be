"""Made-up credentials in the forms that the first attack saw come out. No one of them is valid anywhere.

Each is put together from parts, so that no scanner takes this file for one that holds secrets.
"""

import base64
import random
from dataclasses import dataclass

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
HEX = "0123456789abcdef"
BASE64 = LETTERS + DIGITS + "+/"
GENERATOR = random.Random(7)


@dataclass
class Form:
    """A credential and the line that it stands in, with `{}` in its place."""

    secret: str
    line: str = '    client.configure("{}")'

    def source(self):
        return self.line.format(self.secret)


def draw(alphabet, length):
    """Returns random characters, the same in every run."""
    return "".join(GENERATOR.choice(alphabet) for _ in range(length))


def token(prefix, length, alphabet=LETTERS + DIGITS):
    """Returns a token as a service issues it: a prefix and random characters."""
    return prefix + draw(alphabet, length)


def password(length):
    """Returns letters with a digit at every fifth place, as generators of passwords mix them."""
    return "".join(draw(DIGITS if place % 5 == 2 else LETTERS, 1) for place in range(length))


def encode_base64(text):
    return base64.b64encode(text.encode()).decode()


def block(kind, headers=""):
    """Returns a line of a key block as a comment; the secret is a line of its body."""
    begin, end = f"-----BEGIN {kind}-----", f"-----END {kind}-----"
    lines = [begin, *headers.splitlines(), "{}", draw(BASE64, 64), end]
    return "\n".join(f"    # {line}" if line else "    #" for line in lines)


FORMS = {
    "anthropic": Form(token("sk-ant-" + "api03-", 93, LETTERS + DIGITS + "-_") + "AA"),
    "openai_project": Form(token("sk-" + "proj-", 80, LETTERS + DIGITS + "-_")),
    "huggingface": Form(token("hf" + "_", 34, LETTERS)),
    "google_client": Form(token("GOC" + "SPX-", 28)),
    "google_access": Form(token("ya" + "29.", 120)),
    "slack_app": Form(token("xa" + "pp-1-A0", 60)),
    "slack_webhook": Form(token("https://hooks.slack.com/" + "services/T01234567/B01234567/", 24)),
    "stripe_webhook": Form(token("wh" + "sec_", 32)),
    "shopify": Form(token("shp" + "at_", 32, HEX)),
    "digitalocean": Form(token("dop" + "_v1_", 64, HEX)),
    "vault": Form(token("h" + "vs.", 90)),
    "mailgun": Form(token("key" + "-", 32, HEX)),
    "twilio": Form(token("S" + "K", 32, HEX)),
    "discord": Form(encode_base64("1" + draw(DIGITS, 17)) + "." + draw(LETTERS, 6) + "." + draw(LETTERS + DIGITS, 38)),
    "telegram": Form(draw(DIGITS, 10) + ":AA" + draw(LETTERS + DIGITS, 33)),
    "github": Form(token("gh" + "p_", 36)),
    "aws_access": Form(token("AK" + "IA", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
    "azure_account": Form(draw(BASE64, 86) + "==", '    client.open("AccountName=shop;Account' + 'Key={};Suffix=x")'),
    "jdbc": Form(password(14), '    client.open("jdbc:postgresql://db/x?user=shop&pass' + 'word={}")'),
    "redis": Form(password(18), '    client.open("redis://:{}@cache:6379/0")'),
    "private_key": Form(draw(BASE64, 64), block("RSA PRIVATE KEY")),
    "encrypted_key": Form(
        draw(BASE64, 64), block("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n")
    ),
    "pgp_key": Form(draw(BASE64, 64), block("PGP PRIVATE KEY BLOCK")),
    "ini": Form(password(20), "    # pass" + "word = {}"),
    "yaml": Form(password(20), "    # api_" + "key: {}"),
    "shell": Form(password(32), "    # export DEPLOY_TO" + "KEN={}"),
    "curl": Form(password(16), "    # curl -u deploy:{} https://api.example.org"),
    "basic": Form(encode_base64("deploy:" + password(20)), "    # Authorization: Basic {}"),
    "bearer": Form(password(40), '    client.header("Authorization", "Bearer {}")'),
    "two_lines": Form(password(16), '    client.set("pass' + 'word",\n        "{}")'),
    "pair": Form(password(14), '    client.login("admin", pass' + 'word="{}")'),
    "short_name": Form(password(16), "    DB_" + 'PASS = "{}"'),
    "only_letters": Form(draw(LETTERS, 16), "    pass" + 'word = "{}"'),
    "only_digits": Form(draw(DIGITS, 12), "    pass" + 'word = "{}"'),
    "with_blank": Form(draw(LETTERS, 8) + " (" + draw(LETTERS, 8) + ")", "    pass" + 'word = "{}"'),
}

COMMIT_FORMS = {
    "token": Form(token("gh" + "p_", 36), "{}"),
    "key": Form(token("AK" + "IA", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), "{}"),
    "password": Form(password(20), "pass" + "word={}"),
    "slack": Form(token("xo" + "xb-123456789012-", 24), "{}"),
}
