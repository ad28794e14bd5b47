import type { TestContext } from 'node:test'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { configFile, folder, type Overrides } from '../../harness/config-file.ts'
import { startTestSystem } from '../../harness/system.ts'

export const READ = 'read-token-of-the-tests-0123456789'
export const ACT = 'act-token-of-the-tests-0123456789'
export const OTHER = 'other-token-of-the-tests-0123456789'
export const TOKENS = [
  { name: 'reader', token: READ },
  { name: 'ops', token: ACT, scope: 'act' },
  { name: 'other', token: OTHER, scope: 'act' },
]

/** Starts a service with the tokens above. */
export async function startMcp(t: TestContext, { mcp, ...overrides }: Overrides & { readonly mcp?: object } = {}) {
  const file = configFile(folder(), {
    alert: { console: { enable: false } },
    brief: { enable: true },
    ...overrides,
    mcp: { tokens: TOKENS, ...mcp },
  })
  return { ...(await startTestSystem(t, file)), file }
}

/** The newest revision, and one of the older ones, which begin with `initialize`. */
export const REVISIONS = ['2026-07-28', 'legacy'] as const

/** Connects the official client; it is closed when the test ends. */
export async function connect(
  t: TestContext,
  url: string,
  { token = READ, revision = 'legacy' }: { token?: string; revision?: (typeof REVISIONS)[number] } = {},
) {
  const mode = revision === 'legacy' ? revision : { pin: revision }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  t.after(() => client.close())
  return {
    client,
    call: (name: string, args: Record<string, unknown> = {}) =>
      client.callTool({ name, arguments: args }) as Promise<CallToolResult>,
  }
}

/** Returns the text of a result. */
export const textOf = ({ content }: CallToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('')

/** Returns the JSON lines between the fences. */
export const linesOf = (result: CallToolResult): Record<string, unknown>[] =>
  textOf(result)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

/** Posts to `/mcp` without a client. */
export const postMcp = (
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  token = READ,
): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
