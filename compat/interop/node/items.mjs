import assert from "node:assert/strict";
import https from "node:https";
import { BulkOperationType, PatchOperationType } from "@azure/cosmos";
import { rejects } from "./env.mjs";

export const items = {
  async "refuses an unknown CA"(env) {
    const request = new Promise((resolve, reject) => {
      https.get(env.program.endpoint, { ca: [] }, resolve).on("error", reject);
    });
    await assert.rejects(request, { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
  },

  async "create and read"(env) {
    const created = await env.create("1", 7);
    assert.equal(created.statusCode, 201);
    assert.ok(created.etag);
    assert.ok(created.headers["x-ms-session-token"]);
    assert.ok(created.requestCharge > 0);
    await env.wantTotal("1", 7);
    await rejects(env.create("1", 8), 409);
    assert.equal((await env.read("2")).statusCode, 404);
  },

  async "upsert and replace"(env) {
    const first = await env.orders.items.upsert(env.order("1", 1));
    const second = await env.orders.items.upsert(env.order("1", 2));
    assert.deepEqual([first.statusCode, second.statusCode], [201, 200]);
    await env.wantTotal("1", 2);
    await env.orders.item("1", env.customer).replace(env.order("1", 3));
    await env.wantTotal("1", 3);
    await rejects(env.orders.item("2", env.customer).replace(env.order("2", 3)), 404);
  },

  async "conditional replace"(env) {
    const { etag } = await env.create("1", 1);
    const options = { accessCondition: { type: "IfMatch", condition: etag } };
    await env.orders.item("1", env.customer).replace(env.order("1", 2), options);
    await rejects(env.orders.item("1", env.customer).replace(env.order("1", 3), options), 412);
    await env.wantTotal("1", 2);
  },

  async patch(env) {
    await env.create("1", 1);
    const item = env.orders.item("1", env.customer);
    const { resource } = await item.patch([
      { op: PatchOperationType.incr, path: "/total", value: 4 },
      { op: PatchOperationType.add, path: "/note", value: "gift" },
    ]);
    assert.equal(resource.note, "gift");
    await env.wantTotal("1", 5);
    const never = { condition: "FROM c WHERE c.total > 100", operations: [{ op: "set", path: "/total", value: 0 }] };
    await rejects(item.patch(never), 412);
  },

  async delete(env) {
    await env.create("1", 1);
    await env.orders.item("1", env.customer).delete();
    await rejects(env.orders.item("1", env.customer).delete(), 404);
    assert.equal((await env.read("1")).statusCode, 404);
  },

  async batch(env) {
    await env.create("1", 1);
    const { code, result } = await env.orders.items.batch(
      [
        { operationType: BulkOperationType.Create, resourceBody: env.order("2", 2) },
        { operationType: BulkOperationType.Upsert, resourceBody: env.order("3", 3) },
        { operationType: BulkOperationType.Replace, id: "1", resourceBody: env.order("1", 10) },
        { operationType: BulkOperationType.Read, id: "2" },
        { operationType: BulkOperationType.Delete, id: "3" },
      ],
      env.customer,
    );
    assert.equal(code, 200);
    assert.deepEqual(result.map((r) => r.statusCode), [201, 201, 200, 200, 204]);
    await env.wantTotal("1", 10);
    await env.wantTotal("2", 2);
    assert.equal((await env.read("3")).statusCode, 404);
  },

  async "batch is atomic"(env) {
    const { code, result } = await env.orders.items.batch(
      [
        { operationType: BulkOperationType.Create, resourceBody: env.order("1", 1) },
        { operationType: BulkOperationType.Replace, id: "none", resourceBody: env.order("none", 1) },
      ],
      env.customer,
    );
    assert.equal(code, 207);
    assert.deepEqual(result.map((r) => r.statusCode), [424, 404]);
    assert.equal((await env.read("1")).statusCode, 404);
  },

  async bulk(env) {
    const operations = Array.from({ length: 40 }, (_, i) => ({
      operationType: BulkOperationType.Create,
      partitionKey: `${env.customer}/${i}`,
      resourceBody: { id: `${i}`, customer: `${env.customer}/${i}`, total: i },
    }));
    const results = await env.orders.items.executeBulkOperations(operations);
    assert.deepEqual([...new Set(results.map((r) => r.response?.statusCode))], [201]);
    const again = await env.orders.items.executeBulkOperations(operations.slice(0, 3));
    assert.deepEqual(again.map((r) => r.error?.code), [409, 409, 409]);
  },
};
