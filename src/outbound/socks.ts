import { createRequire } from 'node:module'
import type { Socket } from 'node:net'

/** From connecting to the proxy until its tunnel stands. */
const TIMEOUT_MS = 10_000

const require = createRequire(import.meta.url)

/**
 * Opens a connection to `destination` through a SOCKS5 proxy. The proxy resolves the host name. Loads the library at the
 * first call. Rejects with code EPROXY; the message holds no credentials.
 */
export async function connectBySocks(
  proxy: string,
  destination: { readonly host: string; readonly port: number },
): Promise<Socket> {
  const { SocksClient }: typeof import('socks') = require('socks')
  const { hostname, port, username, password } = new URL(proxy)
  const login = username === '' ? {} : { userId: decodeURIComponent(username), password: decodeURIComponent(password) }
  try {
    const { socket } = await SocksClient.createConnection({
      proxy: { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), type: 5, ...login },
      destination,
      command: 'connect',
      timeout: TIMEOUT_MS,
      set_tcp_nodelay: true,
    })
    return socket
  } catch (error) {
    // The library's error carries the proxy's credentials, so only its text goes on.
    throw Object.assign(new Error(`SOCKS proxy: ${(error as Error).message}`), { code: 'EPROXY' })
  }
}
