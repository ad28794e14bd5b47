/** A signed request of an AWS client. */
interface ClientRequest {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
}

interface Sent extends Pick<ClientRequest, 'headers'> {
  readonly url: string
  readonly body: string | Uint8Array
  readonly signal: AbortSignal | undefined
}

interface Answer {
  readonly status: number
  readonly headers: object
  readonly body: string | Uint8Array
}

/** Returns the request handler of an AWS client that sends by `send`, which uses proxies; the client's own does not. */
export function awsHandler(send: (request: Sent) => Promise<Answer>) {
  return {
    async handle(
      { protocol, hostname, port, path, headers, body = '' }: ClientRequest,
      { abortSignal: signal }: { readonly abortSignal?: AbortSignal } = {},
    ) {
      const url = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`
      // undici writes these itself.
      const { host: _, 'content-length': __, ...signed } = headers
      const answer = await send({ url, headers: signed, body, signal })
      return { response: { statusCode: answer.status, headers: answer.headers, body: Buffer.from(answer.body) } }
    },
  }
}
