// The refund agent on Mastra, with its OpenTelemetry exporter, over Chat Completions.

import { readFileSync } from "node:fs";
import { createOpenAI } from "@ai-sdk/openai";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Observability } from "@mastra/observability";
import { OtelExporter } from "@mastra/otel-exporter";
import { z } from "zod";
import { issueRefund, lookupOrder, notifyCustomer } from "./tools.ts";

const tools = {
  lookup_order: createTool({
    id: "lookup_order",
    description: "Look an order up.",
    inputSchema: z.object({ order_id: z.string() }),
    execute: async ({ order_id }) => lookupOrder(order_id),
  }),
  issue_refund: createTool({
    id: "issue_refund",
    description: "Refund an amount of an order.",
    inputSchema: z.object({ order_id: z.string(), amount: z.number() }),
    execute: async ({ order_id, amount }) => issueRefund(order_id, amount),
  }),
  notify_customer: createTool({
    id: "notify_customer",
    description: "Write to a customer.",
    inputSchema: z.object({ email: z.string() }),
    execute: async ({ email }) => notifyCustomer(email),
  }),
};
const agent = new Agent({
  id: "refund_agent",
  name: "refund_agent",
  instructions: readFileSync("prompt.md", "utf8"),
  model: createOpenAI().chat("gpt-4.1"),
  tools,
});

const exporter = new OtelExporter({
  provider: { custom: { endpoint: process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, protocol: "http/json" } },
  signals: { traces: true, logs: false },
});
const observability = new Observability({ configs: { otel: { serviceName: "refund_agent", exporters: [exporter] } } });
const mastra = new Mastra({ agents: { refund_agent: agent }, observability });

const refunds = mastra.getAgent("refund_agent");

async function streamed(task: string) {
  const stream = await refunds.stream(task);
  for await (const _ of stream.fullStream); // the agent's own span ends behind the last text
  return stream.text;
}

const task = "Please refund order O-1042.";
console.log(process.argv.includes("--stream") ? await streamed(task) : (await refunds.generate(task)).text);
await observability.flush();
