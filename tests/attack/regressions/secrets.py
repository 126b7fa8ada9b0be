"""Made-up credentials in the formats that the first attack found unmasked. None of them is valid.

Each is concatenated from parts, so that secret scanners do not report this file.
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
class CredentialForm:
    """A credential and the line that contains it, with `{}` in its place."""

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
    """Returns letters with a digit in every fifth position, like a generated password."""
    return "".join(draw(DIGITS if index % 5 == 2 else LETTERS, 1) for index in range(length))


def encode_base64(text):
    return base64.b64encode(text.encode()).decode()


def block(kind, headers=""):
    """Returns a line of a key block as a comment; the secret is a line of its body."""
    begin, end = f"-----BEGIN {kind}-----", f"-----END {kind}-----"
    lines = [begin, *headers.splitlines(), "{}", draw(BASE64, 64), end]
    return "\n".join(f"    # {line}" if line else "    #" for line in lines)


FORMS = {
    "anthropic": CredentialForm(token("sk-ant-" + "api03-", 93, LETTERS + DIGITS + "-_") + "AA"),
    "openai_project": CredentialForm(token("sk-" + "proj-", 80, LETTERS + DIGITS + "-_")),
    "huggingface": CredentialForm(token("hf" + "_", 34, LETTERS)),
    "google_client": CredentialForm(token("GOC" + "SPX-", 28)),
    "google_access": CredentialForm(token("ya" + "29.", 120)),
    "slack_app": CredentialForm(token("xa" + "pp-1-A0", 60)),
    "slack_webhook": CredentialForm(token("https://hooks.slack.com/" + "services/T01234567/B01234567/", 24)),
    "stripe_webhook": CredentialForm(token("wh" + "sec_", 32)),
    "shopify": CredentialForm(token("shp" + "at_", 32, HEX)),
    "digitalocean": CredentialForm(token("dop" + "_v1_", 64, HEX)),
    "vault": CredentialForm(token("h" + "vs.", 90)),
    "mailgun": CredentialForm(token("key" + "-", 32, HEX)),
    "twilio": CredentialForm(token("S" + "K", 32, HEX)),
    "discord": CredentialForm(encode_base64("1" + draw(DIGITS, 17)) + "." + draw(LETTERS, 6) + "." + draw(LETTERS + DIGITS, 38)),
    "telegram": CredentialForm(draw(DIGITS, 10) + ":AA" + draw(LETTERS + DIGITS, 33)),
    "github": CredentialForm(token("gh" + "p_", 36)),
    "aws_access": CredentialForm(token("AK" + "IA", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
    "azure_account": CredentialForm(draw(BASE64, 86) + "==", '    client.open("AccountName=shop;Account' + 'Key={};Suffix=x")'),
    "jdbc": CredentialForm(password(14), '    client.open("jdbc:postgresql://db/x?user=shop&pass' + 'word={}")'),
    "redis": CredentialForm(password(18), '    client.open("redis://:{}@cache:6379/0")'),
    "private_key": CredentialForm(draw(BASE64, 64), block("RSA PRIVATE KEY")),
    "encrypted_key": CredentialForm(
        draw(BASE64, 64), block("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n")
    ),
    "pgp_key": CredentialForm(draw(BASE64, 64), block("PGP PRIVATE KEY BLOCK")),
    "ini": CredentialForm(password(20), "    # pass" + "word = {}"),
    "yaml": CredentialForm(password(20), "    # api_" + "key: {}"),
    "shell": CredentialForm(password(32), "    # export DEPLOY_TO" + "KEN={}"),
    "curl": CredentialForm(password(16), "    # curl -u deploy:{} https://api.example.org"),
    "basic": CredentialForm(encode_base64("deploy:" + password(20)), "    # Authorization: Basic {}"),
    "bearer": CredentialForm(password(40), '    client.header("Authorization", "Bearer {}")'),
    "two_lines": CredentialForm(password(16), '    client.set("pass' + 'word",\n        "{}")'),
    "pair": CredentialForm(password(14), '    client.login("admin", pass' + 'word="{}")'),
    "short_name": CredentialForm(password(16), "    DB_" + 'PASS = "{}"'),
    "only_letters": CredentialForm(draw(LETTERS, 16), "    pass" + 'word = "{}"'),
    "only_digits": CredentialForm(draw(DIGITS, 12), "    pass" + 'word = "{}"'),
    "with_blank": CredentialForm(draw(LETTERS, 8) + " (" + draw(LETTERS, 8) + ")", "    pass" + 'word = "{}"'),
}

COMMIT_FORMS = {
    "token": CredentialForm(token("gh" + "p_", 36), "{}"),
    "key": CredentialForm(token("AK" + "IA", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), "{}"),
    "password": CredentialForm(password(20), "pass" + "word={}"),
    "slack": CredentialForm(token("xo" + "xb-123456789012-", 24), "{}"),
}
