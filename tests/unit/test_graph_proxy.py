"""Which proxy the environment names for the API's address."""

import pytest

from adapters.graph.transport import proxy_for

HTTPS = "https://graph.facebook.com"


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, HTTPS, None),
        ({"https_proxy": "http://p:3128"}, HTTPS, "http://p:3128"),
        ({"https_proxy": "p:3128"}, HTTPS, "http://p:3128"),
        ({"http_proxy": "http://p:3128"}, HTTPS, None),
        ({"http_proxy": "http://p:3128"}, "http://127.0.0.1:8080", "http://p:3128"),
        ({"all_proxy": "http://p:3128"}, HTTPS, "http://p:3128"),
        ({"all_proxy": "http://a:1", "https_proxy": "http://p:3128"}, HTTPS, "http://p:3128"),
        ({"https_proxy": "http://p:3128", "no_proxy": "facebook.com"}, HTTPS, None),
        ({"https_proxy": "http://p:3128", "no_proxy": "*"}, HTTPS, None),
        ({"https_proxy": "http://p:3128", "no_proxy": "book.com"}, HTTPS, "http://p:3128"),
        ({"http_proxy": "http://p:1", "no_proxy": "127.0.0.1"}, "http://127.0.0.1:80", None),
    ],
)
def test_the_proxy_of_an_address(
    environment: dict[str, str], url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert proxy_for(url) == proxy
