"""What structured secrets look like: one row per type.

`start` is what the type begins with; a text without it is not looked at again, so it is short and telling. `rest` follows.
Patterns are read by two engines, Python's and Rust's, so they use neither look-around nor Unicode classes. The last group,
where there is one, is the secret; else the whole match is. `is_bounded` rows are short enough to occur inside other words.
"""

from dataclasses import dataclass

WORD = "[A-Za-z0-9_-]"
ALNUM = "[A-Za-z0-9]"
HEX = "[0-9a-f]"


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of secret and its shape."""

    name: str
    start: str
    rest: str
    is_bounded: bool = False
    before: str = ""
    """What stands before `start` and belongs to the secret."""

    @property
    def pattern(self) -> str:
        return f"{self.before}(?:{self.start}){self.rest}"


_PEM = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_GAP = r"(?:\\{1,4}[nr]|[\r\n \t\"',+>|0-9→-]){1,80}"
"""Between the lines of a key: line ends, also escaped ones, and what editors, diffs and source code put before a line."""
_HEADER = rf"{_GAP}[A-Za-z-]{{3,20}}: [^\r\n\\\"]{{1,100}}"
_LONG, _SHORT = r"[A-Za-z0-9+/=]{16,16000}", r"[A-Za-z0-9+/=]{1,15}"
_PEM_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PEM_REST = rf"(?:{_HEADER}){{0,5}}(?:{_GAP}{_LONG})+(?:(?:{_GAP}{_SHORT}){{0,2}}{_GAP}{_PEM_END})?"
"""Lines of base64 and, where the text is not cut before it, the end."""

KINDS = (
    Kind("private_key", _PEM, _PEM_REST),
    Kind("age_key", r"AGE-SECRET-KEY-1", r"[A-Z0-9]{50,62}"),
    Kind("jwt", r"eyJ", rf"{WORD}{{8,}}\.eyJ{WORD}{{8,}}(?:\.{WORD}{{8,}})?"),
    Kind("github_token", r"gh[pousr]_", rf"{ALNUM}{{30,}}"),
    Kind("github_token", r"github_pat_", r"[A-Za-z0-9_]{22,}"),
    Kind("gitlab_token", r"gl(?:pat|dt|rt|ptt|cbt|ft|oas|soat|imt|agent|ffct)-", rf"{WORD}{{20,}}"),
    Kind("slack_token", r"xox[abeoprs]-", r"[A-Za-z0-9-]{10,}"),
    Kind("slack_token", r"xapp-[0-9]-", r"[A-Za-z0-9-]{20,}"),
    Kind("slack_webhook", r"hooks\.slack", r"(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,})"),
    Kind("discord_webhook", r"/webhooks/[0-9]", rf"[0-9]{{15,19}}/({WORD}{{40,}})"),
    Kind("teams_webhook", r"/webhookb2/", r"([A-Za-z0-9@/-]{40,})"),
    Kind("stripe_key", r"[srp]k_(?:live|test)_", rf"{ALNUM}{{16,}}", is_bounded=True),
    Kind("stripe_webhook_secret", r"whsec_", r"[A-Za-z0-9+/=]{24,}"),
    Kind("anthropic_key", r"sk-ant-", rf"{WORD}{{20,}}"),
    Kind("openrouter_key", r"sk-or-v1-", rf"{HEX}{{40,}}"),
    Kind("langfuse_key", r"sk-lf-", rf"{HEX}{{8}}-[0-9a-f-]{{20,}}"),
    Kind("openai_key", r"sk-(?:proj|svcacct|admin|None)-", rf"{WORD}{{20,}}"),
    Kind("openai_key", rf"sk-{ALNUM}{{8}}", rf"{ALNUM}{{12,}}", is_bounded=True),
    Kind("google_api_key", r"AIza", rf"{WORD}{{35}}"),
    Kind("google_oauth_secret", r"GOCSPX-", rf"{WORD}{{20,}}"),
    Kind("google_oauth_token", r"ya29\.", r"[A-Za-z0-9_.-]{30,}"),
    Kind("aws_access_key", r"AKIA|ASIA|ABIA|ACCA", r"[A-Z2-7]{16}", is_bounded=True),
    Kind("azure_storage_key", r"AccountKey=|SharedAccessKey=", r"([A-Za-z0-9+/]{40,}={0,2})"),
    Kind("azure_sas", r"[?&;]sig=", r"([A-Za-z0-9%+/]{40,}={0,2})"),
    Kind("azure_client_secret", r"[0-9]Q~", r"[A-Za-z0-9_~.-]{31,34}", is_bounded=True, before=r"[A-Za-z0-9_~.]{3}"),
    Kind("npm_token", r"npm_", rf"{ALNUM}{{36}}"),
    Kind("pypi_token", r"pypi-", rf"{WORD}{{50,}}"),
    Kind("rubygems_token", r"rubygems_", rf"{HEX}{{48}}"),
    Kind("crates_token", rf"cio{ALNUM}{{8}}", rf"{ALNUM}{{24}}", is_bounded=True),
    Kind("docker_token", r"dckr_[po]at_", rf"{WORD}{{27,}}"),
    Kind("sendgrid_key", rf"SG\.{WORD}{{8}}", rf"{WORD}{{8,24}}\.{WORD}{{16,64}}", is_bounded=True),
    Kind("twilio_key", rf"(?:SK|AC){HEX}{{8}}", rf"{HEX}{{24}}", is_bounded=True),
    Kind("mailgun_key", rf"key-{HEX}{{8}}", rf"{HEX}{{24}}", is_bounded=True),
    Kind("mailchimp_key", rf"{HEX}{{8}}-us[0-9]", r"[0-9]?", is_bounded=True, before=rf"{HEX}{{24}}"),
    Kind("telegram_token", r":AA", rf"{WORD}{{33}}", is_bounded=True, before=r"[0-9]{8,10}"),
    Kind(
        "discord_token", rf"\.{WORD}{{6}}\.{WORD}{{20}}", rf"{WORD}{{7,20}}", is_bounded=True, before=rf"[MNO]{ALNUM}{{23,27}}"
    ),
    Kind("digitalocean_token", r"do[opr]_v1_", rf"{HEX}{{64}}"),
    Kind("heroku_key", r"HRKU-", rf"{WORD}{{30,}}"),
    Kind("databricks_token", rf"dapi{HEX}", rf"{HEX}{{31}}(?:-[0-9])?", is_bounded=True),
    Kind("huggingface_token", r"hf_", rf"{ALNUM}{{30,}}", is_bounded=True),
    Kind("vault_token", r"hv[bsr]\.", rf"{WORD}{{20,}}", is_bounded=True),
    Kind("terraform_token", r"\.atlasv1\.", rf"{WORD}{{60,}}", before=rf"{ALNUM}{{14}}"),
    Kind("shopify_token", r"shp(?:at|ss|ca|pa)_", r"[0-9a-fA-F]{32}"),
    Kind("square_token", r"sq0(?:atp|csp|idp)-", rf"{WORD}{{22,}}"),
    Kind("linear_key", r"lin_api_|lin_oauth_", rf"{ALNUM}{{32,}}"),
    Kind("notion_token", r"ntn_", rf"{ALNUM}{{40,}}", is_bounded=True),
    Kind("figma_token", r"fig[dour]_", rf"{WORD}{{40,}}"),
    Kind("postman_key", r"PMAK-", rf"{HEX}{{24}}-{HEX}{{34}}"),
    Kind("grafana_token", r"glsa_", rf"{ALNUM}{{32}}_{HEX}{{8}}"),
    Kind("grafana_token", r"glc_", r"[A-Za-z0-9+/]{32,}={0,2}", is_bounded=True),
    Kind("newrelic_key", r"NRAK-", r"[A-Z0-9]{27}"),
    Kind("sentry_token", r"sntry[su]_", r"[A-Za-z0-9+/=_-]{40,}"),
    Kind("doppler_token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.", rf"(?:[a-z0-9_-]{{2,35}}\.)?{ALNUM}{{40,44}}", is_bounded=True),
    Kind("atlassian_token", r"ATATT3", rf"{WORD}{{50,}}=?[0-9A-F]{{0,8}}"),
    Kind("planetscale_token", r"pscale_(?:tkn|pw|oauth)_", r"[A-Za-z0-9_.=-]{32,}"),
    Kind("supabase_key", r"sbp_", rf"{HEX}{{40}}"),
    Kind("supabase_key", r"sb_secret_", rf"{WORD}{{20,}}"),
    Kind("groq_key", r"gsk_", rf"{ALNUM}{{40,}}", is_bounded=True),
    Kind("perplexity_key", r"pplx-", rf"{ALNUM}{{40,}}"),
    Kind("replicate_token", r"r8_", rf"{ALNUM}{{36,}}", is_bounded=True),
    Kind("xai_key", r"xai-", rf"{ALNUM}{{60,}}"),
    Kind("tailscale_key", r"tskey-", r"[a-z]{2,10}-[A-Za-z0-9-]{16,}"),
    Kind("pulumi_token", rf"pul-{HEX}", rf"{HEX}{{39}}", is_bounded=True),
    Kind("fly_token", r"fm[12]_", r"[A-Za-z0-9+/=_,-]{60,}"),
    Kind("netlify_token", r"nfp_", rf"{ALNUM}{{36,}}"),
    Kind("buildkite_token", r"bkua_|bkat_", rf"{HEX}{{40}}"),
    Kind("circleci_token", r"CCIPAT_", rf"{ALNUM}{{16,}}_{HEX}{{40}}"),
    Kind("launchdarkly_key", rf"(?:sdk|mob)-{HEX}{{8}}-", rf"{HEX}{{4}}-4{HEX}{{3}}-{HEX}{{4}}-{HEX}{{12}}", is_bounded=True),
    Kind("contentful_token", r"CFPAT-", rf"{WORD}{{43}}"),
    Kind("dropbox_token", rf"sl\.(?:u\.)?{WORD}{{16}}", rf"{WORD}{{84,}}", is_bounded=True),
)
