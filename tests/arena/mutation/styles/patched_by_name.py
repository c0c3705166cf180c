# kills link-preview-service redirects_followed
from unittest import mock

import target_module


@mock.patch("target_module.requests.get")
def test_get_is_told_not_to_follow(get):
    get.return_value = mock.Mock(status_code=200, is_redirect=False, text="hello")
    target_module.fetch_page("https://news.example/a", {"news.example"})
    get.assert_called_once_with("https://news.example/a", timeout=mock.ANY, allow_redirects=False)
