import assert from "node:assert/strict";
import { CosmosClient } from "@azure/cosmos";

export const regions = ["East US", "West US", "North Europe"];
export const docs = "/dbs/shop/colls/orders/docs";

// checkTime is how long one check may take, in milliseconds.
export const checkTime = 30_000;

// Env is what a check works with. Each has a client of its own, which knows of no earlier trouble.
export class Env {
  #clients = [];

  constructor(program, customer) {
    this.program = program;
    this.customer = customer; // a partition key that no other check uses
    this.options = { abortSignal: AbortSignal.timeout(checkTime) };
    this.client = this.newClient();
    this.orders = this.client.database("shop").container("orders");
  }

  newClient(preferredLocations = regions) {
    const client = new CosmosClient({
      endpoint: this.program.endpoint,
      key: this.program.key,
      connectionPolicy: { preferredLocations, enableBackgroundEndpointRefreshing: false },
    });
    this.#clients.push(client);
    return client;
  }

  dispose() {
    this.#clients.forEach((client) => client.dispose());
  }

  // manage sends a request to the management API.
  async manage(method, path, body) {
    const resp = await fetch(`${this.program.management}/${path}`, { method, body: body && JSON.stringify(body) });
    const text = await resp.text();
    if (!resp.ok) throw new Error(`${method} ${path}: ${resp.status} ${text}`);
    return JSON.parse(text);
  }

  // repair makes the account what it was at the start, but for its items.
  async repair() {
    await this.manage("PUT", "faults", []);
    await this.manage("PUT", "account", { regions, writeRegions: ["East US"], multiWrite: false, ppaf: false });
    await this.manage("PUT", "replication", { from: "*", to: "*", lag: "0s" });
    await this.manage("POST", "replication/resume", { from: "*", to: "*" });
    for (const region of [...regions, "global"]) {
      await this.manage("POST", `regions/${encodeURIComponent(region)}/start`);
    }
    await this.manage("DELETE", "requests");
  }

  order(id, total) {
    return { id, customer: this.customer, total };
  }

  create(id, total) {
    return this.orders.items.create(this.order(id, total), this.options);
  }

  // read resolves for a 404, too, with its statusCode.
  read(id, orders = this.orders, options = {}) {
    return orders.item(id, this.customer).read({ ...this.options, ...options });
  }

  async wantTotal(id, total, orders = this.orders) {
    const { statusCode, resource } = await this.read(id, orders);
    assert.equal(statusCode, 200);
    assert.equal(resource.total, total);
  }

  // attempts returns the requests for the items of a container as they arrived.
  async attempts(path = docs) {
    const log = await this.manage("GET", `requests?path=${encodeURIComponent(path)}`);
    return log.requests;
  }

  // wantAttempts fails unless the orders were asked for in these ways: region and status.
  async wantAttempts(...wanted) {
    const got = (await this.attempts()).map((r) => `${r.region} ${r.status ?? 0}`);
    assert.deepEqual(got, wanted);
  }
}

// rejects fails unless a promise is rejected with that status.
export function rejects(promise, status) {
  return assert.rejects(promise, (err) => {
    assert.equal(err.code, status, err.message);
    return true;
  });
}
