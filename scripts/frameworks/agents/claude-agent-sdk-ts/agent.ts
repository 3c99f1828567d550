// The refund agent on the Claude Agent SDK for TypeScript: tools in process, and Claude Code's own spans.

import { readFileSync } from "node:fs";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { issueRefund, lookupOrder, notifyCustomer } from "./tools.ts";

const reply = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });

const shop = createSdkMcpServer({
  name: "shop",
  tools: [
    tool("lookup_order", "Look an order up.", { order_id: z.string() }, async ({ order_id }) =>
      reply(lookupOrder(order_id)),
    ),
    tool(
      "issue_refund",
      "Refund an amount of an order.",
      { order_id: z.string(), amount: z.number() },
      async ({ order_id, amount }) => reply(issueRefund(order_id, amount)),
    ),
    tool("notify_customer", "Write to a customer.", { email: z.string() }, async ({ email }) =>
      reply(notifyCustomer(email)),
    ),
  ],
});

const messages = query({
  prompt: "Please refund order O-1042.",
  options: {
    systemPrompt: readFileSync("prompt.md", "utf8"),
    mcpServers: { shop },
    allowedTools: ["mcp__shop__lookup_order", "mcp__shop__issue_refund", "mcp__shop__notify_customer"],
    maxTurns: 10,
  },
});
for await (const message of messages) {
  if (message.type === "result" && message.subtype === "success") console.log(message.result);
}
