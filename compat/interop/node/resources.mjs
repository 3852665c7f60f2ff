import assert from "node:assert/strict";
import { rejects } from "./env.mjs";

export const resources = {
  async "databases and containers"(env) {
    const { database } = await env.client.databases.create({ id: "archive" });
    await rejects(env.client.databases.create({ id: "archive" }), 409);
    const { container: events } = await database.containers.create({
      id: "events",
      partitionKey: { paths: ["/tenant", "/user"], kind: "MultiHash", version: 2 },
    });
    const { resource } = await events.read();
    assert.deepEqual(resource.partitionKey.paths, ["/tenant", "/user"]);
    await events.items.create({ id: "1", tenant: "t", user: "u" });
    const found = await events.items.query("SELECT * FROM c", { partitionKey: ["t"] }).fetchAll();
    assert.equal(found.resources.length, 1);
    await events.delete();
    await database.delete();
  },

  async throughput(env) {
    const { database } = await env.client.databases.create({ id: "bulk" });
    const { container: events } = await database.containers.create({
      id: "events",
      partitionKey: { paths: ["/pk"], version: 2 },
      throughput: 600,
    });
    const { offer, resource } = await events.readOffer();
    assert.equal(resource.content.offerThroughput, 600);
    await offer.replace({ ...resource, content: { ...resource.content, offerThroughput: 900 } });
    assert.equal((await events.readOffer()).resource.content.offerThroughput, 900);
    await database.delete();
  },
};
