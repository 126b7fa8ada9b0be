"""Tests `kenning mcp --http` with the official SDK for Python and with requests that no client
sends."""

import asyncio
import http.client
import json
import urllib.parse
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_support import LIFECYCLES, ask, serve_http, wait_until_current, workspace

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def post(url, path="/mcp", **headers):
    """Returns the HTTP status of a request with these headers."""
    address = urllib.parse.urlsplit(url).netloc
    connection = http.client.HTTPConnection(address, timeout=20)
    accept = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", path, json.dumps(INITIALIZE), accept | headers)
    status = connection.getresponse().status
    connection.close()
    return status


@asynccontextmanager
async def connect(url, headers, lifecycle):
    """Connects a client of the SDK that sends these headers."""
    async with httpx2.AsyncClient(headers=headers) as sender:
        async with Client(streamable_http_client(url, http_client=sender), mode=lifecycle) as client:
            yield client


@pytest.mark.parametrize("lifecycle", LIFECYCLES)
async def test_agents_share_a_server_over_http(workspace, lifecycle):
    with serve_http(workspace) as (url, token):
        async with connect(url, token, lifecycle) as first, connect(url, token, lifecycle) as second:
            assert len((await first.list_tools()).tools) == 5
            # A new server checks the disk once more when it watches all folders, and packs report
            # it.
            await ask(first, "search", query="invoice")
            await wait_until_current(first)
            task = "round the total of an invoice"
            calls = [ask(client, "pack", task=task) for client in (first, second) for _ in range(25)]
            texts = {text for text, _ in await asyncio.gather(*calls)}
            assert texts == {workspace.run("pack", "--budget", "4000", task)}


async def test_a_token_is_made_for_each_server_and_required(workspace):
    with serve_http(workspace) as (url, token), serve_http(workspace) as (other_url, other_token):
        assert post(url) == 401
        assert post(url, **other_token) == 401
        assert (post(url, **token), post(other_url, **other_token)) == (200, 200)


@pytest.mark.parametrize("lifecycle", LIFECYCLES)
async def test_a_token_of_the_environment_is_required(workspace, lifecycle):
    with serve_http(workspace, KENNING_MCP_TOKEN="secret") as (url, token):
        assert post(url) == 401
        assert post(url, Authorization="Bearer secre") == 401
        assert post(url, path="/", Authorization="Bearer secre") == 401
        async with connect(url, token, lifecycle) as client:
            assert (await ask(client, "search", query="archive voucher"))[0]


async def test_requests_of_web_pages_are_refused(workspace):
    with serve_http(workspace) as (url, token):
        address = urllib.parse.urlsplit(url).netloc
        port = address.rpartition(":")[2]
        assert post(url, **token) == 200
        assert post(url, Host=f"localhost:{port}", **token) == 200
        assert post(url, Host="rebound.example", **token) == 403
        assert post(url, Host=f"rebound.example:{port}", **token) == 403
        for origin in ["https://example.com", "null", f"http://rebound.example:{port}", "http://127.0.0.1:1"]:
            assert post(url, Origin=origin, **token) == 403, origin
        assert post(url, path="/other", **token) == 404
