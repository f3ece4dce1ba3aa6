"""The Hub's endpoints that `huggingface_hub` calls, for `hub_server.py` to serve.

What a client is not known to ask is answered by 501, so that a test fails rather than passes by
luck.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote

from hub_repos import HubRefusalError, Repo, card_faults, tree

TOKEN = "hf_" + "loopback" * 4
READ_TOKEN = "hf_" + "readonly" * 4
USER = "tester"
ORGS = ("org", "my-org")

_API = r"/api/(?P<kind>models|datasets|spaces)/(?P<name>[^/]+/[^/]+)"
_WEB = r"/(?P<kind>datasets/|spaces/|)(?P<name>[^/]+/[^/]+)"
_REV = r"(?P<revision>[^/]+)"
_ROUTES = (
    ("GET", r"/api/whoami-v2", "whoami"),
    ("POST", r"/api/repos/create", "create"),
    ("POST", r"/api/validate-yaml", "validate"),
    ("GET", rf"{_API}(?:/revision/{_REV})?", "info"),
    ("GET", rf"{_API}/tree/{_REV}(?:/(?P<path>.+))?", "tree"),
    ("POST", rf"{_API}/paths-info/{_REV}", "paths"),
    ("POST", rf"{_API}/preupload/{_REV}", "preupload"),
    ("POST", rf"{_API}/commit/{_REV}", "commit"),
    ("PUT", rf"{_API}/settings", "settings"),
    ("POST", rf"{_WEB}\.git/info/lfs/objects/batch", "batch"),
    ("PUT", r"/lfs/(?P<oid>[0-9a-f]{64})", "put"),
    ("GET", rf"{_WEB}/resolve/{_REV}/(?P<path>.+)", "resolve"),
)
_PAGE = 1000
"""Entries of one page of a listing."""


@dataclass
class Request:
    """What was asked: `status` is the answer's, 0 while there is none."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes
    status: int = 0

    @property
    def json(self) -> Any:
        """The body's JSON."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """Status, body and headers of an answer."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def as_json(data: object, status: int = 200, **headers: str) -> Answer:
    """Return an answer in JSON; `x_error_code=` becomes the header `X-Error-Code`."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return Answer(status, json.dumps(data).encode(), {"Content-Type": "application/json", **named})


class HubApi:
    """The endpoints and all that they keep.

    Attributes:
        url: The server's address.
        repos: By kind ("model", "dataset", "space") and name.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.repos: dict[tuple[str, str], Repo] = {}
        self._objects: dict[str, bytes] = {}  # large files, committed or not

    def answer(self, request: Request) -> Answer:
        """Answer a request."""
        method = "GET" if request.method == "HEAD" else request.method
        for wanted, pattern, name in _ROUTES:
            match = re.fullmatch(pattern, request.path)
            if match and wanted == method:
                given = {key: unquote(value) for key, value in match.groupdict().items() if value}
                given["kind"] = given.get("kind", "models").strip("/").removesuffix("s")
                try:
                    user = self._user(request)
                    answer: Answer = getattr(self, f"_{name}")(request, user, **given)
                    return answer
                except HubRefusalError as refusal:
                    told = {"x_error_message": refusal.message}
                    told |= {"x_error_code": refusal.code} if refusal.code else {}
                    return as_json({"error": refusal.message}, refusal.status, **told)
        return as_json({"error": f"this server knows no {method} {request.path}"}, 501)

    def _user(self, request: Request) -> str | None:
        """Return who asks: "write", "read", or None for nobody."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if not scheme:
            return None
        role = {TOKEN: "write", READ_TOKEN: "read"}.get(token)
        if role is None or scheme != "Bearer":
            raise HubRefusalError(401, "Invalid credentials in Authorization header")
        return role

    def _repo(self, kind: str, name: str, user: str | None, *, write: bool = False) -> Repo:
        repo = self.repos.get((kind, name))
        if repo is None or (repo.private and user is None):
            raise HubRefusalError(404 if user else 401, "Repository not found", "RepoNotFound")
        if write:
            self._check_writes(user, name)
        return repo

    def _check_writes(self, user: str | None, name: str) -> None:
        if user is None:
            raise HubRefusalError(401, "You must be logged in")
        if user != "write" or name.partition("/")[0] not in (USER, *ORGS):
            raise HubRefusalError(403, f"You have no right to write to {name.partition('/')[0]}")

    def _whoami(self, request: Request, user: str | None, **_: str) -> Answer:
        if user is None:
            raise HubRefusalError(401, "Invalid credentials in Authorization header")
        orgs = [{"type": "org", "name": org, "roleInOrg": "admin"} for org in ORGS]
        token = {"displayName": "a token", "role": user}
        auth = {"type": "access_token", "accessToken": token}
        return as_json({"type": "user", "name": USER, "orgs": orgs, "auth": auth})

    def _create(self, request: Request, user: str | None, **_: str) -> Answer:
        asked = request.json
        name = f"{asked.get('organization') or USER}/{asked['name']}"
        kind = asked.get("type") or "model"
        self._check_writes(user, name)
        url = f"{self.url}/{'' if kind == 'model' else f'{kind}s/'}{name}"
        if (kind, name) in self.repos:
            return as_json({"error": "You already created this repo", "url": url}, 409)
        private = asked.get("private") or asked.get("visibility") == "private"
        repo = Repo(kind, name, bool(private), asked.get("sdk"))
        if kind == "space" and repo.sdk not in ("gradio", "docker", "static"):
            raise HubRefusalError(400, "sdk must be one of gradio, docker, static")
        self.repos[kind, name] = repo
        return as_json({"url": url, "name": name, "id": name})

    def _validate(self, request: Request, user: str | None, **_: str) -> Answer:
        errors, warnings = card_faults(request.json["content"], request.json["repoType"])
        told = {"errors": [{"message": e} for e in errors]}
        told |= {"warnings": [{"message": w} for w in warnings]}
        return as_json(told, 400 if errors else 200)

    def _info(
        self, request: Request, user: str | None, kind: str, name: str, revision: str = "main"
    ) -> Answer:
        repo = self._repo(kind, name, user)
        commit = repo.at(revision)
        return as_json(
            {
                "_id": name, "id": name, "sha": commit.sha, "private": repo.private,
                "sdk": repo.sdk, "tags": [],
                "siblings": [{"rfilename": path} for path in sorted(commit.files)],
                "lastModified": "2026-01-01T00:00:00.000Z",
            }
        )  # fmt: skip

    def _tree(
        self,
        request: Request,
        user: str | None,
        kind: str,
        name: str,
        revision: str,
        path: str = "",
    ) -> Answer:
        commit = self._repo(kind, name, user).at(revision)
        wanted = {key: request.query.get(key, [""])[0].lower() for key in ("recursive", "expand")}
        entries = tree(commit, path, wanted["recursive"] == "true", wanted["expand"] == "true")
        start = int(request.query.get("cursor", ["0"])[0])
        answer = as_json(entries[start : start + _PAGE])
        if start + _PAGE < len(entries):
            query = "&".join(f"{key}={value}" for key, value in wanted.items())
            following = f"{self.url}{request.path}?{query}&cursor={start + _PAGE}"
            answer.headers["Link"] = f'<{following}>; rel="next"'
        return answer

    def _paths(
        self, request: Request, user: str | None, kind: str, name: str, revision: str
    ) -> Answer:
        commit = self._repo(kind, name, user).at(revision)
        asked = parse_qs(request.body.decode())
        expand = asked.get("expand", [""])[0].lower() == "true"
        found = [
            entry for entry in tree(commit, "", True, expand) if entry["path"] in asked["paths"]
        ]
        return as_json(found)

    def _preupload(
        self, request: Request, user: str | None, kind: str, name: str, revision: str
    ) -> Answer:
        repo = self._repo(kind, name, user, write=True)
        repo.at(revision)
        return as_json({"files": [repo.upload_mode(file) for file in request.json["files"]]})

    def _commit(
        self, request: Request, user: str | None, kind: str, name: str, revision: str
    ) -> Answer:
        repo = self._repo(kind, name, user, write=True)
        repo.at(revision)
        lines = [json.loads(line) for line in request.body.splitlines()]
        sha = repo.take(lines, self._objects)
        url = f"{self.url}/{'' if kind == 'model' else f'{kind}s/'}{name}/commit/{sha}"
        return as_json({"success": True, "commitOid": sha, "commitUrl": url, "hookOutput": ""})

    def _settings(self, request: Request, user: str | None, kind: str, name: str) -> Answer:
        repo = self._repo(kind, name, user, write=True)
        repo.private = request.json.get("visibility") == "private" or bool(
            request.json.get("private")
        )
        return as_json({"private": repo.private})

    def _batch(self, request: Request, user: str | None, kind: str, name: str) -> Answer:
        self._repo(kind, name, user, write=True)
        objects = []
        for wanted in request.json["objects"]:
            known = wanted["oid"] in self._objects
            href = {"href": f"{self.url}/lfs/{wanted['oid']}?signed=1"}
            objects.append(wanted if known else {**wanted, "actions": {"upload": href}})
        return as_json({"transfer": "basic", "objects": objects})

    def _put(self, request: Request, user: str | None, oid: str, **_: str) -> Answer:
        if request.query.get("signed") != ["1"]:
            raise HubRefusalError(403, "unsigned")
        if hashlib.sha256(request.body).hexdigest() != oid:
            raise HubRefusalError(400, "content does not match its digest")
        self._objects[oid] = request.body
        return Answer()

    def _resolve(
        self, request: Request, user: str | None, kind: str, name: str, revision: str, path: str
    ) -> Answer:
        commit = self._repo(kind, name, user).at(revision)
        blob = commit.files.get(path)
        headers = {"X-Repo-Commit": commit.sha, "Accept-Ranges": "bytes"}
        if blob is None:
            named = {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
            return Answer(404, b"Entry not found", {**headers, **named})
        headers |= {"ETag": f'"{blob.etag}"', "Content-Type": "application/octet-stream"}
        if blob.large:
            headers |= {"X-Linked-Etag": f'"{blob.etag}"', "X-Linked-Size": str(len(blob.data))}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
        if asked is None:
            return Answer(200, blob.data, headers)
        first, last = int(asked[1]), int(asked[2] or len(blob.data) - 1)
        if first >= len(blob.data):
            return Answer(416, b"", {"Content-Range": f"bytes */{len(blob.data)}"})
        part = blob.data[first : last + 1]
        span = f"bytes {first}-{first + len(part) - 1}/{len(blob.data)}"
        return Answer(206, part, {**headers, "Content-Range": span})
