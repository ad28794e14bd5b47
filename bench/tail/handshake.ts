/** Where a service listens, and its gateway secret. */
export interface TailEndpoint {
  readonly port: number
  readonly secret: string
}

/** The request that opens the live tail for one client, with a ticket of its own. `wish`: the query after the ticket. */
export async function handshake({ port, secret }: TailEndpoint, query: string): Promise<string> {
  const headers = { 'X-Gateway-Secret': secret }
  const answer = await fetch(`http://127.0.0.1:${port}/api/admin/tail/ticket`, { method: 'POST', headers })
  const { ticket } = (await answer.json()) as { ticket: string }
  const lines = [
    `GET /api/admin/tail?ticket=${ticket}${query} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13',
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
