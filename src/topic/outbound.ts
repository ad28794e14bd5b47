import type { HttpResponse } from '../outbound/http-call.ts'
import { openHttpClient } from '../outbound/http-client.ts'

interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
  readonly maxBytes: number
  readonly deadlineMs: number
}

/** Requests to the topic service. */
export type Outbound = ReturnType<typeof openOutbound>

/** Connections for each host; further requests wait for one, within their deadline. */
const CONNECTIONS = 8

/**
 * Opens a client that follows HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS. Plain HTTP, for certificates
 * of issuers, is proxied without a tunnel: many proxies allow tunnels to port 443 only.
 */
export function openOutbound() {
  const client = openHttpClient({ connections: CONNECTIONS, proxyTunnel: false })
  return {
    /** Follows no redirect. Rejects with `HttpFailure`; an answer above `maxBytes` is one too. */
    send: ({ url, method, headers, body, maxBytes, deadlineMs }: OutboundRequest): Promise<HttpResponse> =>
      client.send({
        url,
        method,
        headers: { 'user-agent': 'tocsin', ...headers },
        body: body ?? null,
        maxBytes,
        whenLonger: 'fail',
        signal: AbortSignal.timeout(Math.ceil(deadlineMs)),
      }),
    /** Ends requests under way. */
    close: () => client.destroy(),
  }
}
