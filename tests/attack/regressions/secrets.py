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
        """Returns the line with the credential."""
        return self.line.format(self.secret)


def draw_characters(alphabet, length):
    """Returns random characters, the same in every run."""
    return "".join(GENERATOR.choice(alphabet) for _ in range(length))


def make_token(prefix, length, alphabet=LETTERS + DIGITS):
    """Returns a token as a service issues it: a prefix and random characters."""
    return prefix + draw_characters(alphabet, length)


def make_password(length):
    """Returns letters with a digit in every fifth position, like a generated password."""
    return "".join(draw_characters(DIGITS if index % 5 == 2 else LETTERS, 1) for index in range(length))


def encode_base64(text):
    return base64.b64encode(text.encode()).decode()


def key_block(kind, headers=""):
    """Returns a key block as a comment, with `{}` in place of the secret line of its body."""
    begin, end = f"-----BEGIN {kind}-----", f"-----END {kind}-----"
    lines = [begin, *headers.splitlines(), "{}", draw_characters(BASE64, 64), end]
    return "\n".join(f"    # {line}" if line else "    #" for line in lines)


FORMS = {
    "anthropic": CredentialForm(make_token("sk-ant-" + "api03-", 93, LETTERS + DIGITS + "-_") + "AA"),
    "openai_project": CredentialForm(make_token("sk-" + "proj-", 80, LETTERS + DIGITS + "-_")),
    "huggingface": CredentialForm(make_token("hf" + "_", 34, LETTERS)),
    "google_client": CredentialForm(make_token("GOC" + "SPX-", 28)),
    "google_access": CredentialForm(make_token("ya" + "29.", 120)),
    "slack_app": CredentialForm(make_token("xa" + "pp-1-A0", 60)),
    "slack_webhook": CredentialForm(make_token("https://hooks.slack.com/" + "services/T01234567/B01234567/", 24)),
    "stripe_webhook": CredentialForm(make_token("wh" + "sec_", 32)),
    "shopify": CredentialForm(make_token("shp" + "at_", 32, HEX)),
    "digitalocean": CredentialForm(make_token("dop" + "_v1_", 64, HEX)),
    "vault": CredentialForm(make_token("h" + "vs.", 90)),
    "mailgun": CredentialForm(make_token("key" + "-", 32, HEX)),
    "twilio": CredentialForm(make_token("S" + "K", 32, HEX)),
    "discord": CredentialForm(encode_base64("1" + draw_characters(DIGITS, 17)) + "." + draw_characters(LETTERS, 6) + "." + draw_characters(LETTERS + DIGITS, 38)),
    "telegram": CredentialForm(draw_characters(DIGITS, 10) + ":AA" + draw_characters(LETTERS + DIGITS, 33)),
    "github": CredentialForm(make_token("gh" + "p_", 36)),
    "aws_access": CredentialForm(make_token("AK" + "IA", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
    "azure_account": CredentialForm(draw_characters(BASE64, 86) + "==", '    client.open("AccountName=shop;Account' + 'Key={};Suffix=x")'),
    "jdbc": CredentialForm(make_password(14), '    client.open("jdbc:postgresql://db/x?user=shop&pass' + 'word={}")'),
    "redis": CredentialForm(make_password(18), '    client.open("redis://:{}@cache:6379/0")'),
    "private_key": CredentialForm(draw_characters(BASE64, 64), key_block("RSA PRIVATE KEY")),
    "encrypted_key": CredentialForm(
        draw_characters(BASE64, 64), key_block("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n")
    ),
    "pgp_key": CredentialForm(draw_characters(BASE64, 64), key_block("PGP PRIVATE KEY BLOCK")),
    "ini": CredentialForm(make_password(20), "    # pass" + "word = {}"),
    "yaml": CredentialForm(make_password(20), "    # api_" + "key: {}"),
    "shell": CredentialForm(make_password(32), "    # export DEPLOY_TO" + "KEN={}"),
    "curl": CredentialForm(make_password(16), "    # curl -u deploy:{} https://api.example.org"),
    "basic": CredentialForm(encode_base64("deploy:" + make_password(20)), "    # Authorization: Basic {}"),
    "bearer": CredentialForm(make_password(40), '    client.header("Authorization", "Bearer {}")'),
    "two_lines": CredentialForm(make_password(16), '    client.set("pass' + 'word",\n        "{}")'),
    "pair": CredentialForm(make_password(14), '    client.login("admin", pass' + 'word="{}")'),
    "short_name": CredentialForm(make_password(16), "    DB_" + 'PASS = "{}"'),
    "only_letters": CredentialForm(draw_characters(LETTERS, 16), "    pass" + 'word = "{}"'),
    "only_digits": CredentialForm(draw_characters(DIGITS, 12), "    pass" + 'word = "{}"'),
    "with_blank": CredentialForm(draw_characters(LETTERS, 8) + " (" + draw_characters(LETTERS, 8) + ")", "    pass" + 'word = "{}"'),
}

COMMIT_FORMS = {
    "token": CredentialForm(make_token("gh" + "p_", 36), "{}"),
    "key": CredentialForm(make_token("AK" + "IA", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), "{}"),
    "password": CredentialForm(make_password(20), "pass" + "word={}"),
    "slack": CredentialForm(make_token("xo" + "xb-123456789012-", 24), "{}"),
}
