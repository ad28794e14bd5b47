/** Gets a ticket, which lets one client into the live tail once. */
export async function tailTicket(url: string, secret: string): Promise<string> {
  const headers = { 'X-Gateway-Secret': secret }
  const answer = await fetch(`${url}/api/admin/tail/ticket`, { method: 'POST', headers })
  if (!answer.ok) throw new Error(`no ticket for the live tail: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { ticket: string }).ticket
}

/**
 * Returns the bytes of the upgrade request that opens the live tail, with a ticket of its own. `query` begins with `&`.
 */
export async function tailHandshake(url: string, secret: string, query = ''): Promise<string> {
  const lines = [
    `GET /api/admin/tail?ticket=${await tailTicket(url, secret)}${query} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13',
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
