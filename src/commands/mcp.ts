import { createInterface } from 'node:readline'
import { EnvHttpProxyAgent, fetch } from 'undici'
import { errorText } from '../text/error-text.ts'
import { isObject } from '../text/json-object.ts'
import { UsageError } from './command.ts'
import { defineCommand } from './define-command.ts'
import { addressOf } from './service.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
/** Longer than the service takes for an answer. */
const ANSWER_MS = 60_000
const FAILED = -32_603

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'connect a client of the Model Context Protocol that starts a command',
  about: `A bridge for clients that start a command in place of an address: reads messages of the Model Context Protocol from standard
input, one a line, posts each to /mcp of a running service, and writes the answers. The token is read from TOCSIN_MCP_TOKEN.`,
  options: { url: { value: 'URL', description: 'address of the service, such as https://tocsin.example.org' } },
  async run({ url }) {
    const { TOCSIN_MCP_TOKEN: token } = process.env
    if (url === undefined) throw new UsageError('--url is missing: the address of the service')
    if (!token) throw new UsageError('TOCSIN_MCP_TOKEN is missing: the token of an entry of mcp.tokens')
    const post = openBridge(`${addressOf(url)}/mcp`, token)
    const underWay = new Set<Promise<void>>()
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === '') continue
      const answered = post(line).then((lines) => {
        for (const each of lines) process.stdout.write(`${each}\n`)
        underWay.delete(answered)
      })
      underWay.add(answered)
    }
    await Promise.all(underWay)
    return 0
  },
})

/** Returns what posts one message and returns the lines of its answer. Never rejects: a failure is an answer. */
function openBridge(address: string, token: string) {
  const dispatcher = new EnvHttpProxyAgent()
  /** Revision that an older client agreed on: it names it in no message. */
  let revision = ''

  async function post(message: Message, line: string): Promise<readonly string[]> {
    const headers = { ...mirrored(message, revision), authorization: `Bearer ${token}` }
    const signal = AbortSignal.timeout(ANSWER_MS)
    const init = { method: 'POST', headers, body: line, redirect: 'manual', signal, dispatcher } as const
    const response = await fetch(address, init)
    const text = await response.text()
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const answers = isStream ? Array.from(text.matchAll(/^data: ?(.+)$/gm), ([, data = '']) => data) : [text.trim()]
    if (message.method === 'initialize') revision = /"protocolVersion":"([\d-]+)"/.exec(answers.join())?.[1] ?? revision
    if (response.ok || text.includes('"jsonrpc"')) return answers.filter((answer) => answer !== '')
    throw new Error(`${address} answered ${response.status}: ${text.slice(0, 200)}`)
  }

  return async (line: string): Promise<readonly string[]> => {
    let message: Message = {}
    try {
      const parsed: unknown = JSON.parse(line)
      if (isObject(parsed)) message = parsed
      return await post(message, line)
    } catch (error) {
      // Nothing answers a notification.
      if (message.id === undefined) return []
      const cause = error instanceof Error && error.cause !== undefined ? errorText(error.cause) : errorText(error)
      return [JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: FAILED, message: cause } })]
    }
  }
}

/** Returns the headers that repeat parts of the body, as the protocol wants. */
function mirrored({ method, params }: Message, agreed: string): { [name: string]: string } {
  const { _meta: meta, name } = isObject(params) ? params : {}
  const named = isObject(meta) && typeof meta[VERSION] === 'string' ? meta[VERSION] : ''
  const revision = named || (method === 'initialize' ? '' : agreed)
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(revision !== '' && { 'mcp-protocol-version': revision }),
    ...(named !== '' && typeof method === 'string' && { 'mcp-method': method }),
    ...(named !== '' && typeof name === 'string' && { 'mcp-name': name }),
  }
}
