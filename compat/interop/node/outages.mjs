import assert from "node:assert/strict";
import { ChangeFeedStartFrom } from "@azure/cosmos";
import { follow, spread } from "./feeds.mjs";

// prepare creates order 1 and then breaks the account.
async function prepare(env, ...faults) {
  await env.create("1", 7);
  await env.manage("PUT", "faults", faults);
  await env.manage("DELETE", "requests");
}

export const outages = {
  async "404/1002 is retried"(env) {
    await prepare(env, { region: "East US", status: 404, subStatus: 1002, times: 1 });
    await env.wantTotal("1", 7);
    await env.wantAttempts("East US 404", "East US 200");
  },

  async "429 is waited out"(env) {
    await prepare(env, { status: 429, subStatus: 3200, headers: { "x-ms-retry-after-ms": "150" }, times: 2 });
    await env.wantTotal("1", 7);
    await env.wantAttempts("East US 429", "East US 429", "East US 200");
    const [, second, third] = (await env.attempts()).map((r) => Date.parse(r.time));
    assert.ok(third - second >= 149, `the client waited ${third - second} ms, want 150`);
  },

  async "503 moves a read"(env) {
    await prepare(env, { region: "East US", status: 503 });
    await env.wantTotal("1", 7);
    await env.wantAttempts("East US 503", "West US 200");
  },

  async "503 moves a write of a multi-write account"(env) {
    await env.manage("PUT", "account", { multiWrite: true, writeRegions: [] });
    await prepare(env, { region: "East US", status: 503 });
    await env.create("2", 8);
    await env.wantAttempts("East US 503", "West US 201");
  },

  // On an account with per-partition failover.
  async "503 moves a write of a partition"(env) {
    await env.manage("PUT", "account", { ppaf: true });
    await prepare(env, { region: "East US", status: 503 });
    await env.create("2", 8);
    await env.wantAttempts("East US 503", "West US 201");
  },

  // This client does not ask another region for what has not arrived yet where it reads.
  async "a lag is a 404"(env) {
    await env.manage("POST", "replication/pause", { from: "*", to: "*" });
    const { headers } = await env.create("1", 7);
    const orders = env.newClient(["West US"]).database("shop").container("orders");
    const behind = await env.read("1", orders, { sessionToken: headers["x-ms-session-token"] });
    assert.equal(behind.statusCode, 404); // of the second request, which is without the token
    assert.equal((await env.attempts())[1].subStatus, 1002);
    await env.manage("POST", "replication/flush");
    await env.wantTotal("1", 7, orders);
    await env.wantAttempts("East US 201", "West US 404", "West US 404", "West US 200");
  },

  // More writes than the throughput of a container is good for: it has 400 request units in a second, and an order of
  // 20 KiB costs 110.
  async "a container is out of throughput"(env) {
    const small = env.client.database("shop").container("small");
    const note = "x".repeat(20 * 1024 - 200);
    for (let i = 0; i < 10; i++) await small.items.create({ ...env.order(`${i}`, i), note }, env.options);
    const statuses = (await env.attempts("/dbs/shop/colls/small/docs")).map((r) => r.status);
    assert.equal(statuses.filter((s) => s === 201).length, 10);
    assert.ok(statuses.includes(429));
  },

  // A query and a change feed go on over the split of a partition.
  async "a partition splits"(env) {
    const feed = env.orders.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Now() });
    await follow(feed);
    await spread(env, 30);
    assert.equal((await follow(feed)).length, 30);
    const query = { query: "SELECT * FROM c WHERE c.lot = @lot", parameters: [{ name: "@lot", value: env.customer }] };
    const iterator = env.orders.items.query(query, { maxItemCount: 2, ...env.options });
    const ids = (await iterator.fetchNext()).resources.map((o) => o.id);
    const { children } = await env.manage("POST", "split", { database: "shop", container: "orders", range: "0" });
    while (iterator.hasMoreResults()) ids.push(...((await iterator.fetchNext()).resources ?? []).map((o) => o.id));
    await env.create("new", 1);
    const news = await follow(feed);
    await env.manage("POST", "merge", { database: "shop", container: "orders", ranges: children });
    assert.deepEqual([ids.length, new Set(ids).size], [30, 30]);
    assert.deepEqual(news, ["new"]);
  },

  // This client does not ask another region when its connection is refused.
  async "a stopped region fails a read"(env) {
    await prepare(env);
    await env.manage("POST", "regions/East%20US/stop");
    await assert.rejects(env.read("1"));
    await env.manage("POST", "regions/East%20US/start");
    await env.wantTotal("1", 7);
    await env.wantAttempts("East US 200");
  },

  async "the write region fails over"(env) {
    await prepare(env);
    await env.manage("POST", "failover", { to: "West US" });
    await env.create("2", 8);
    const log = await env.attempts();
    assert.deepEqual([log[0].region, log[0].status, log[0].subStatus], ["East US", 403, 3]);
    assert.deepEqual([log.at(-1).region, log.at(-1).status], ["West US", 201]);
    await env.wantTotal("2", 8);
  },
};
