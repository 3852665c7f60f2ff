// Runs the checks against the cosmostest program that the environment variable
// COSMOSTEST describes with the line that the program itself has printed. Each
// check prints a line of JSON. Started by ../go; see there.
import { readFileSync } from "node:fs";
import { Env, checkTime } from "./env.mjs";
import { feeds } from "./feeds.mjs";
import { items } from "./items.mjs";
import { outages } from "./outages.mjs";
import { resources } from "./resources.mjs";

const manifest = JSON.parse(readFileSync(new URL("node_modules/@azure/cosmos/package.json", import.meta.url)));
const client = `@azure/cosmos ${manifest.version}`;
const program = JSON.parse(process.env.COSMOSTEST);

// timeout rejects when a check has taken too long. The client keeps trying for minutes.
function timeout() {
  return new Promise((_, reject) => {
    setTimeout(reject, checkTime, new Error(`the check takes more than ${checkTime} ms`)).unref();
  });
}

let number = 0;
for (const [check, run] of Object.entries({ ...items, ...feeds, ...resources, ...outages })) {
  const began = performance.now();
  const env = new Env(program, `customer-${number++}`);
  let failure = "";
  try {
    await env.repair();
    await Promise.race([run(env), timeout()]);
  } catch (err) {
    failure = err.stack ?? JSON.stringify(err);
  } finally {
    env.dispose();
  }
  console.log(JSON.stringify({ client, check, failure, seconds: (performance.now() - began) / 1000 }));
}
process.exit(); // a check that took too long may still be at it
