"""Where `cobsat publish` speaks to the Hub: who we are, what is there, and what is sent.

`huggingface_hub` does the work: it sends large files beside the commit, tries again where a server
stumbles, and does not send what the Hub has. Every failure ends as one line that says what to do.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    HfApi,
    RepoFile,
    constants,
    get_token,
)
from huggingface_hub.errors import (
    HfHubHTTPError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
)
from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

from .publish_plan import Kind, Plan, Remote, There, batches
from .text import visible

__all__ = ["Hub", "address", "carry_out", "connect", "last_title", "look", "read"]

_SECONDS: Final = 10.0
"""How long the Hub may take to say whether it is there."""

_TRANSPORT: Final[type[Exception]] = next(
    base for base in HfHubHTTPError.__mro__ if base.__name__ == "HTTPError"
)
"""What the HTTP library raises where there is no answer; which library depends on the release."""

_AGAIN: Final = "the same command goes on from there"


@dataclass(frozen=True)
class Hub:
    """The Hub, and as whom we speak to it."""

    api: HfApi
    user: str


def connect(repo: str, kind: Kind) -> Hub:
    """Return the Hub, if it can be reached and knows us as somebody who may write.

    Args:
        repo: The first repository that will be asked for.
        kind: What it is.

    Raises:
        ConnectionError: It cannot be reached, or HF_HUB_OFFLINE forbids it.
        PermissionError: There is no token, or the Hub does not know it, or it may only read.
    """
    if constants.is_offline_mode():
        raise ConnectionError(
            "publishing must reach the Hub, got HF_HUB_OFFLINE=1 (or TRANSFORMERS_OFFLINE=1): "
            "unset it"
        )
    if not get_token():
        raise PermissionError(
            "publishing must have a token of the Hub that may write, got none: `hf auth login`, or "
            f"set HF_TOKEN ({constants.ENDPOINT}/settings/tokens makes one)"
        )
    api = HfApi(library_name="cobsat", library_version=version("cobsat"))
    with _said_clearly(repo):
        with suppress(RepositoryNotFoundError):
            api.repo_info(repo, repo_type=kind, timeout=_SECONDS)  # asks once
        who = api.whoami()
    token: Any = who.get("auth", {}).get("accessToken") or {}
    if token.get("role") == "read":
        raise PermissionError(
            f"the token of {who['name']} must be one that may write, got one that may read: "
            f"{constants.ENDPOINT}/settings/tokens makes another"
        )
    return Hub(api, str(who["name"]))


def look(hub: Hub, repo: str, kind: Kind) -> There:
    """Return what a repository holds."""
    with _said_clearly(repo):
        try:
            info = hub.api.repo_info(repo, repo_type=kind)
        except RepositoryNotFoundError:
            return There()
        listed = hub.api.list_repo_tree(repo, recursive=True, repo_type=kind, revision=info.sha)
        files = {entry.path: _remote(entry) for entry in listed if isinstance(entry, RepoFile)}
    return There(info.sha, bool(info.private), files)


def read(hub: Hub, repo: str, kind: Kind, path: str, there: There) -> bytes | None:
    """Return a small file of a repository, None if it is not there."""
    if path not in there.files:
        return None
    with _said_clearly(repo):
        file = hub.api.hf_hub_download(repo, path, repo_type=kind, revision=there.head)
    return Path(file).read_bytes()


def last_title(hub: Hub, repo: str, kind: Kind, path: str, there: There) -> str | None:
    """Return the title of the last commit that changed a file, None if it is not there."""
    if path not in there.files:
        return None
    with _said_clearly(repo):
        found = hub.api.get_paths_info(
            repo, [path], expand=True, repo_type=kind, revision=there.head
        )
    last = next((f.last_commit for f in found if isinstance(f, RepoFile)), None)
    return last.title if last else None


def carry_out(hub: Hub, plan: Plan, private: bool = False) -> None:
    """Make the repository if there is none, and send what is new; what the Hub has is not sent.

    Raises:
        ConnectionError: The Hub cannot be reached, or fails.
        PermissionError: It does not let us.
        RuntimeError: Somebody else has changed the repository meanwhile.
    """
    wanted = plan.publication
    repo, kind, head = wanted.repo, wanted.kind, plan.there.head
    if not sys.stderr.isatty():
        disable_progress_bars()
    with _said_clearly(repo):
        if head is None:
            hub.api.create_repo(
                repo, repo_type=kind, private=private or None, exist_ok=True, space_sdk=wanted.sdk
            )
        elif private and not plan.there.private:
            hub.api.update_repo_settings(repo, repo_type=kind, private=True)
        for sent, deleted in batches(plan):
            done = hub.api.create_commit(
                repo,
                [
                    *(CommitOperationAdd(path, wanted.files[path]) for path in sent),
                    *(CommitOperationDelete(path, is_folder=False) for path in deleted),
                ],
                commit_message=wanted.title,
                repo_type=kind,
                parent_commit=head,
            )
            head = done.oid


def address(repo: str, kind: Kind) -> str:
    """Return where a repository is found.

    >>> address("org/name", "space").removeprefix(constants.ENDPOINT)
    '/spaces/org/name'
    """
    return f"{constants.ENDPOINT}/{'' if kind == 'model' else f'{kind}s/'}{repo}"


def _remote(entry: RepoFile) -> Remote:
    if entry.lfs is not None:
        return Remote(entry.lfs.size, entry.lfs.sha256, large=True)
    return Remote(entry.size, entry.blob_id)


@contextmanager
def _said_clearly(repo: str) -> Iterator[None]:
    """Turn what the client raises into one line that says what to do."""
    try:
        yield
    except RuntimeError as error:  # a large file was not taken; the reason is its cause
        if not isinstance(error.__cause__, _TRANSPORT):
            raise
        raise _clear(error.__cause__, repo, str(error)) from error
    except (_TRANSPORT, LocalEntryNotFoundError) as error:
        raise _clear(error, repo) from error


def _clear(error: BaseException, repo: str, at: str = "") -> Exception:
    at = f" {at.rstrip('.')}:" if at else ""
    if not isinstance(error, HfHubHTTPError):
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return ConnectionError(
            f"{constants.ENDPOINT} must be reached to publish, got{at} {said}: {_AGAIN}"
        )
    status = error.response.status_code
    said = " ".join(visible(error.server_message or str(error)).split())
    if status == 401:
        return PermissionError(
            f"the token must be one that the Hub knows, got{at} {said}: `hf auth login`, or set "
            "HF_TOKEN"
        )
    if status == 403:
        return PermissionError(
            f"{repo} must be a repository that the token may write to, got{at} {said}: is the "
            "name before the slash yours, and is the token for it?"
        )
    if status == 412:
        return RuntimeError(
            f"{repo} must stay as it was shown, got changes by somebody else meanwhile: the same "
            "command looks anew"
        )
    if status == 400:
        return ValueError(f"{repo} must be what the Hub takes, got{at} {said}")
    return ConnectionError(f"the Hub must answer, got{at} HTTP {status} ({said}): {_AGAIN}")
