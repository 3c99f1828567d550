// The refund agent on the Vercel AI SDK, with its own GenAI spans, over Responses.

import { readFileSync } from "node:fs";
import { createOpenAI } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { generateText, isStepCount, registerTelemetry, streamText, tool } from "ai";
import { z } from "zod";
import { issueRefund, lookupOrder, notifyCustomer } from "./tools.ts";

const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())] });
provider.register();
registerTelemetry(new OpenTelemetry());

const tools = {
  lookup_order: tool({
    description: "Look an order up.",
    inputSchema: z.object({ order_id: z.string() }),
    execute: async ({ order_id }) => lookupOrder(order_id),
  }),
  issue_refund: tool({
    description: "Refund an amount of an order.",
    inputSchema: z.object({ order_id: z.string(), amount: z.number() }),
    execute: async ({ order_id, amount }) => issueRefund(order_id, amount),
  }),
  notify_customer: tool({
    description: "Write to a customer.",
    inputSchema: z.object({ email: z.string() }),
    execute: async ({ email }) => notifyCustomer(email),
  }),
};
const task = {
  model: createOpenAI()("gpt-4.1"),
  instructions: readFileSync("prompt.md", "utf8"),
  prompt: "Please refund order O-1042.",
  tools,
  stopWhen: isStepCount(8),
  experimental_telemetry: { isEnabled: true, functionId: "refund_agent" },
};
console.log(process.argv.includes("--stream") ? await streamText(task).text : (await generateText(task)).text);
await provider.shutdown();
