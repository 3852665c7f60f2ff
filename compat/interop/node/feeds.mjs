import assert from "node:assert/strict";
import { ChangeFeedStartFrom } from "@azure/cosmos";
import { rejects } from "./env.mjs";

// spread creates a lot of orders of as many customers, so that all partitions have some.
export async function spread(env, count) {
  for (let i = 0; i < count; i++) {
    const customer = `${env.customer}/${i}`;
    await env.orders.items.create({ id: `${i}`, customer, total: i, lot: env.customer }, env.options);
  }
}

// follow reads a change feed up to its end, and resolves to the ids it had.
export async function follow(iterator) {
  const ids = [];
  for (let idle = 0; idle < 4; ) {
    const page = await iterator.readNext();
    idle = page.statusCode === 304 ? idle + 1 : 0; // each partition has an end
    ids.push(...(page.result ?? []).map((order) => order.id));
  }
  return ids;
}

export const feeds = {
  async "query in one partition"(env) {
    for (let i = 0; i < 5; i++) await env.create(`${i}`, i);
    const query = { query: "SELECT * FROM c WHERE c.total >= @min", parameters: [{ name: "@min", value: 3 }] };
    const options = { partitionKey: env.customer, ...env.options };
    const { resources } = await env.orders.items.query(query, options).fetchAll();
    assert.deepEqual(resources.map((o) => o.id), ["3", "4"]);
    await rejects(env.orders.items.query("SELECT FROM WHERE", options).fetchAll(), 400);
  },

  async "query in pages"(env) {
    for (let i = 0; i < 7; i++) await env.create(`${i}`, i);
    const options = { partitionKey: env.customer, maxItemCount: 3, ...env.options };
    const first = await env.orders.items.query("SELECT * FROM c", options).fetchNext();
    assert.equal(first.resources.length, 3);
    assert.ok(first.continuationToken);
    options.continuationToken = first.continuationToken; // as a program that was restarted in between
    const { resources } = await env.orders.items.query("SELECT * FROM c", options).fetchAll();
    assert.deepEqual(resources.map((o) => o.id), ["3", "4", "5", "6"]);
  },

  async "query in order"(env) {
    for (let i = 0; i < 5; i++) await env.create(`${i}`, i);
    const query = "SELECT VALUE c.id FROM c ORDER BY c.total DESC OFFSET 1 LIMIT 3";
    const options = { partitionKey: env.customer, maxItemCount: 2, ...env.options };
    const { resources } = await env.orders.items.query(query, options).fetchAll();
    assert.deepEqual(resources, ["3", "2", "1"]);
  },

  async aggregates(env) {
    for (let i = 0; i < 5; i++) await env.create(`${i}`, i);
    const wanted = { "COUNT(1)": 5, "SUM(c.total)": 10, "MIN(c.total)": 0, "MAX(c.total)": 4, "AVG(c.total)": 2 };
    for (const [aggregate, value] of Object.entries(wanted)) {
      const options = { partitionKey: env.customer, ...env.options };
      const { resources } = await env.orders.items.query(`SELECT VALUE ${aggregate} FROM c`, options).fetchAll();
      assert.deepEqual(resources, [value], aggregate);
    }
  },

  async "query across partitions"(env) {
    await spread(env, 12);
    const query = {
      query: "SELECT c.id, c.total FROM c WHERE c.lot = @lot",
      parameters: [{ name: "@lot", value: env.customer }],
    };
    const iterator = env.orders.items.query(query, { maxItemCount: 2, ...env.options });
    const ids = new Set();
    while (iterator.hasMoreResults()) {
      const { resources } = await iterator.fetchNext();
      resources?.forEach((o) => ids.add(o.id));
    }
    assert.equal(ids.size, 12);
  },

  async "read all"(env) {
    await env.create("1", 7);
    const { resources } = await env.orders.items.readAll(env.options).fetchAll();
    assert.equal(resources.filter((o) => o.customer === env.customer).length, 1);
  },

  async "feed ranges"(env) {
    assert.equal((await env.orders.getFeedRanges()).length, 3);
  },

  async "change feed"(env) {
    const from = { changeFeedStartFrom: ChangeFeedStartFrom.Now(), maxItemCount: 5 };
    const iterator = env.orders.items.getChangeFeedIterator(from);
    assert.deepEqual(await follow(iterator), []);
    await spread(env, 12);
    assert.equal((await follow(iterator)).length, 12);
    await env.create("new", 1);
    assert.deepEqual(await follow(iterator), ["new"]);
  },
};
