// The refund agent's tools: what they do (all of it made up).

export const lookupOrder = (order_id: string) => ({
  order_id,
  status: "delivered",
  amount: 40,
  email: "ada@example.com",
});

export const issueRefund = (order_id: string, amount: number) => ({ ok: true, order_id, refunded: amount });

export const notifyCustomer = (email: string) => `sent to ${email}`;
