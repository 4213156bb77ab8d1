"""Secrets that nobody ever had, built at run time so that no scanner stumbles over this file."""

import base64
import random
import string
from collections.abc import Callable

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM = UPPER + LOWER + DIGITS
HEX = "0123456789abcdef"
BASE32 = UPPER + "234567"

Make = Callable[[random.Random], str]


def chars(rng: random.Random, alphabet: str, length: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(length))


def joined(*parts: str | tuple[str, int]) -> Make:
    """A maker: texts stand as they are, (alphabet, length) is drawn. Texts are given in pieces for the scanners' sake."""
    return lambda rng: "".join(part if isinstance(part, str) else chars(rng, *part) for part in parts)


def pem(label: str, newline: str = "\n") -> Make:
    def make(rng: random.Random) -> str:
        lines = [chars(rng, ALNUM + "+/", 64) for _ in range(6)]
        return newline.join(
            ["-----BEGIN " + label + "-----", *lines, chars(rng, ALNUM, 20) + "==", "-----END " + label + "-----"]
        )

    return make


STRUCTURED: dict[str, list[Make]] = {
    "private_key": [
        pem("RSA PRIVATE KEY"),
        pem("PRIVATE KEY", "\\n"),
        pem("OPENSSH PRIVATE KEY"),
        pem("PGP PRIVATE KEY BLOCK"),
    ],
    "age_key": [joined("AGE-SECRET-", "KEY-1", (BASE32, 58))],
    "jwt": [joined("ey", "J", (ALNUM, 30), ".ey", "J", (ALNUM + "-_", 60), ".", (ALNUM + "-_", 43))],
    "github_token": [
        *(joined("gh", letter, "_", (ALNUM, 36)) for letter in "pousr"),
        joined("github_", "pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    ],
    "gitlab_token": [joined("gl", "pat-", (ALNUM + "-_", 20)), joined("gl", "rt-", (ALNUM, 20))],
    "slack_token": [joined("xo", "xb-", (DIGITS, 12), "-", (ALNUM, 24)), joined("xa", "pp-1-", (UPPER, 11), "-", (HEX, 64))],
    "slack_webhook": [joined("https://hooks.", "slack.com/services/T", (UPPER, 8), "/B", (UPPER, 8), "/", (ALNUM, 24))],
    "discord_webhook": [joined("https://discord.com/api/", "webhooks/", (DIGITS, 18), "/", (ALNUM + "-_", 68))],
    "teams_webhook": [joined("https://kiln.webhook.office.com/", "webhookb2/", (HEX, 36), "@", (HEX, 36), "/", (HEX, 32))],
    "stripe_key": [joined("sk_", "live_", (ALNUM, 24)), joined("rk_", "live_", (ALNUM, 24))],
    "stripe_webhook_secret": [joined("wh", "sec_", (ALNUM, 32))],
    "anthropic_key": [joined("sk-", "ant-api03-", (ALNUM + "-_", 93), "AA")],
    "openrouter_key": [joined("sk-", "or-v1-", (HEX, 64))],
    "openai_key": [joined("sk-", "proj-", (ALNUM, 48)), joined("sk-", (ALNUM, 20), "T3Blbk", "FJ", (ALNUM, 20))],
    "google_api_key": [joined("AI", "za", (ALNUM + "-_", 35))],
    "google_oauth_secret": [joined("GOC", "SPX-", (ALNUM, 28))],
    "google_oauth_token": [joined("ya", "29.", (ALNUM + "-_", 60))],
    "aws_access_key": [joined("AK", "IA", (BASE32, 16)), joined("AS", "IA", (BASE32, 16))],
    "azure_storage_key": [joined("AccountName=kiln;Account", "Key=", (ALNUM + "+/", 86), "==")],
    "azure_client_secret": [joined((ALNUM, 3), "8", "Q~", (ALNUM, 34))],
    "npm_token": [joined("np", "m_", (ALNUM, 36))],
    "pypi_token": [joined("py", "pi-AgEIcHlwaS5vcmc", (ALNUM + "-_", 80))],
    "rubygems_token": [joined("ruby", "gems_", (HEX, 48))],
    "docker_token": [joined("dck", "r_pat_", (ALNUM + "-_", 27))],
    "sendgrid_key": [joined("S", "G.", (ALNUM, 22), ".", (ALNUM + "-_", 43))],
    "twilio_key": [joined("S", "K", (HEX, 32)), joined("A", "C", (HEX, 32))],
    "mailgun_key": [joined("ke", "y-", (HEX, 32))],
    "mailchimp_key": [joined((HEX, 32), "-us", "12")],
    "telegram_token": [joined((DIGITS[1:], 9), ":A", "A", (ALNUM + "-_", 33))],
    "discord_token": [joined("M", (ALNUM, 23), ".", (ALNUM, 6), ".", (ALNUM + "-_", 27))],
    "digitalocean_token": [joined("do", "p_v1_", (HEX, 64))],
    "heroku_key": [joined("HR", "KU-", (ALNUM, 36))],
    "databricks_token": [joined("da", "pi", (HEX, 32))],
    "huggingface_token": [joined("h", "f_", (UPPER + LOWER, 34))],
    "vault_token": [joined("hv", "s.", (ALNUM, 24))],
    "terraform_token": [joined((ALNUM, 14), ".atlas", "v1.", (ALNUM, 67))],
    "shopify_token": [joined("sh", "pat_", (HEX, 32))],
    "square_token": [joined("sq", "0atp-", (ALNUM, 22))],
    "linear_key": [joined("lin", "_api_", (ALNUM, 40))],
    "notion_token": [joined("nt", "n_", (ALNUM, 46))],
    "figma_token": [joined("fi", "gd_", (ALNUM + "-_", 40))],
    "postman_key": [joined("PM", "AK-", (HEX, 24), "-", (HEX, 34))],
    "grafana_token": [joined("gl", "sa_", (ALNUM, 32), "_", (HEX, 8))],
    "newrelic_key": [joined("NR", "AK-", (UPPER + DIGITS, 27))],
    "sentry_token": [joined("sn", "trys_", (ALNUM, 60))],
    "doppler_token": [joined("dp", ".pt.", (ALNUM, 43))],
    "atlassian_token": [joined("AT", "ATT3", (ALNUM + "-_", 180), "=", (HEX.upper(), 8))],
    "planetscale_token": [joined("psc", "ale_tkn_", (ALNUM, 43))],
    "supabase_key": [joined("sb", "p_", (HEX, 40))],
    "groq_key": [joined("gs", "k_", (ALNUM, 52))],
    "perplexity_key": [joined("pp", "lx-", (ALNUM, 48))],
    "replicate_token": [joined("r", "8_", (ALNUM, 37))],
    "xai_key": [joined("xa", "i-", (ALNUM, 80))],
    "tailscale_key": [joined("ts", "key-auth-", (ALNUM, 12), "-", (ALNUM, 32))],
    "pulumi_token": [joined("pu", "l-", (HEX, 40))],
    "netlify_token": [joined("nf", "p_", (ALNUM, 36))],
    "circleci_token": [joined("CCI", "PAT_", (ALNUM, 22), "_", (HEX, 40))],
}
"""Type -> makers. The type is the one in the placeholder."""


def password(rng: random.Random) -> str:
    return "".join(rng.sample(chars(rng, UPPER, 2) + chars(rng, LOWER, 6) + chars(rng, DIGITS, 3) + chars(rng, "!*+=~", 1), 12))


def token(rng: random.Random) -> str:
    alphabet, length = rng.choice([(ALNUM, 32), (HEX, 40), (ALNUM + "-_", 43), (ALNUM + "/+", 40)])
    return chars(rng, alphabet, length)


def basic(rng: random.Random) -> str:
    return base64.b64encode(f"potter:{password(rng)}".encode()).decode()


NAMED: dict[str, tuple[Make, str]] = {
    "database url": (password, "postgres://potter:{}@db.kiln.invalid:5432/kiln"),
    "url without a user": (password, "redis://:{}@cache.kiln.invalid"),
    "mongodb url": (password, "mongodb+srv://potter:{}@kiln.mongodb.invalid/?w=1"),
    "token as user of a url": (lambda rng: chars(rng, HEX, 40), "git clone https://{}@git.kiln.invalid/glaze.git"),
    "bearer header": (token, "curl -H 'Authorization: Bearer {}' https://kiln.invalid"),
    "bearer header in a dictionary": (token, 'headers = {{"Authorization": "Bearer {}"}}'),
    "basic header": (basic, "Authorization: Basic {}"),
    "registry auth": (basic, '{{"auths": {{"kiln.invalid": {{"auth": "{}"}}}}}}'),
    "environment": (token, "export KILN_API_KEY={}"),
    "secret key": (token, "AWS_SECRET_ACCESS_KEY={}"),
    "yaml": (token, "  client_secret: {}"),
    "json": (token, '{{"access_token": "{}", "expires_in": 3600}}'),
    "escaped json": (token, '{{\\"apiKey\\": \\"{}\\"}}'),
    "python": (token, "signing_key = '{}'"),
    "go": (token, 'authKey := "{}"'),
    "ruby": (token, ":secret_key_base => '{}'"),
    "option": (token, "glaze push --token {}"),
    "npmrc": (token, "//registry.kiln.invalid/:_authToken={}"),
    "password in the environment": (password, "DB_PASSWORD={}"),
    "password in json": (password, '"password": "{}"'),
    "password in yaml": (password, "passphrase: {}"),
    "password in xml": (password, "<password>{}</password>"),
    "password option": (password, "mysql --password={} kiln"),
    "password in a connection string": (password, "Server=kiln;User=potter;Pwd={};Encrypt=true"),
    "netrc": (password, "machine kiln.invalid login potter password {}"),
    "heroku": (lambda rng: "-".join(chars(rng, HEX, n) for n in (8, 4, 4, 4, 12)), "HEROKU_API_KEY={}"),
}
"""Where it stands -> (maker, the surroundings)."""

_ON_ONE_LINE = r"""
{}
export KEY='{}'
"key": "{}",
key: {}
+    key = "{}"
-key={}
use {} please
(`{}`)
https://kiln.invalid/?key={}&glaze=blue
curl -H 'X-Key: {}' https://kiln.invalid
<key>{}</key>
{\"key\":\"{}\"}
line\n{}\nline
   12→{}
key={};
[{}]
a,{},b
Ofen-Schlüssel: {}
窯 {} 窯
key%3D{}%26x
# {}
{}.
"""
SURROUNDINGS = [*_ON_ONE_LINE.strip().splitlines(), "KEY={}\nCOLOR=blue", "\x1b[32m{}\x1b[0m", "\t{}\r\n"]
"""What a secret may stand in; `{}` is where."""


def harmless(rng: random.Random) -> list[str]:
    """Lines that look a little like secrets and are none."""
    uuid = "-".join(chars(rng, HEX, n) for n in (8, 4, 4, 4, 12))
    sha512 = base64.b64encode(rng.randbytes(64)).decode()
    return [
        f"commit {chars(rng, HEX, 40)}",
        f"The hash {chars(rng, HEX, 40)} is a commit, not a secret.",
        f"{chars(rng, HEX, 7)}..{chars(rng, HEX, 7)} main -> origin/main",
        f'"sessionId": "{uuid}", "uuid": "{uuid}"',
        f"{chars(rng, HEX, 64)}  kiln-1.2.{rng.randrange(99)}.tar.gz",
        f'"integrity": "sha512-{sha512}"',
        f'    {{file = "kiln-1.2.3-py3-none-any.whl", hash = "sha256:{chars(rng, HEX, 64)}"}},',
        f"    --hash=sha256:{chars(rng, HEX, 64)} \\",
        f"kiln/glaze v0.0.0-2026{rng.randrange(1000, 1230)}101010-{chars(rng, HEX, 12)} h1:{sha512[:43]}=",
        f"docker.io/kiln/glaze@sha256:{chars(rng, HEX, 64)}",
        f"toolu_{chars(rng, ALNUM, 24)} msg_{chars(rng, ALNUM, 24)} req_{chars(rng, ALNUM, 24)}",
        "COLOR=blue",
        "api_key = YOUR_API_KEY",
        "token: <your-token-here>",
        "export GITHUB_TOKEN=${GITHUB_TOKEN}",
        'password = os.environ["KILN_PASSWORD"]',
        "const token = await parser.nextToken2Value(stream)",
        "password: string; passwordConfirm?: string;",
        "def login(user, password=None, token: str | None = None):",
        "TokenUsage: &checkpoint.TokenUsage",
        f'"input_tokens": {rng.randrange(10**6)}, "max_tokens": 64000, "token_count": 1234567890123456',
        "tokens_used=123456789012345678",
        "secret_name: kiln-production-secret-2026-01",
        "token_path=/srv/kiln/secrets/token2026.txt",
        "PWD=/srv/kiln/v2 OLDPWD=/srv/kiln/v1",
        "https://example.com/@potter/glaze https://potter@example.com/kiln http://localhost:3000/@vite/client",
        "postgres://user:password@localhost/kiln postgres://${USER}:${PASS}@db/kiln",
        "AWS_ACCESS_KEY_ID=" + "AKIA" + "IOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY=" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx",
        "-----BEGIN CERTIFICATE-----\n" + sha512 + "\n-----END CERTIFICATE-----",
        'if "-----BEGIN PRIVATE KEY-----" in text: raise Error',
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + chars(rng, ALNUM, 43) + " potter@kiln",
        "desk-" + chars(rng, LOWER, 20) + " task-" + chars(rng, LOWER, 24),
        "model: claude-opus-4-5-20251101 token_encoding: o200k_base",
        "!function(e,t){var n=t.tokenType2,r=e.secretKeyFor(n);return r?t(r):e.passwordHash}(window,document);",
        "Authorization: Bearer $TOKEN",
        "a bearer token authenticates the request; the password is required",
        "data:image/png;base64," + sha512,
    ]
