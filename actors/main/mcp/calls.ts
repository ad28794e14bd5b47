import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ErrorCode } from '../../../src/domain/errors.ts'
import { CodedError, ERRORS } from '../../../src/domain/errors.ts'
import type { AdminRoute } from '../../../src/http/contract.ts'
import { answerText, type Content, placeOf } from '../../../src/mcp/answer.ts'
import type { McpToken } from '../../../src/mcp/options.ts'
import { openQuote } from '../../../src/mcp/quote.ts'
import { type AskAdmin, READ_TOOLS } from '../../../src/mcp/tools.ts'
import { createRedact } from '../../../src/mining/input/redactions.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import { perSettings } from '../doors/door.ts'
import { ACT_TOOLS, openActing } from './acting.ts'
import type { McpCounts } from './counts.ts'
import type { openGate } from './gate.ts'

type ActingDeps = Omit<Parameters<typeof openActing>[0], 'confirmed'>

export interface CallDeps extends ActingDeps {
  readonly log: Log
  /** The routes that answer; the same that the dashboard asks. */
  readonly admin: readonly AdminRoute[]
  readonly gate: Pick<ReturnType<typeof openGate>, 'spendOn'>
  readonly counts: McpCounts
}

type ActTool = keyof typeof ACT_TOOLS

/** Definitions of all tools, made once. */
const DEFINITIONS = Object.entries({ ...READ_TOOLS, ...ACT_TOOLS }).map(([name, { about, input }]): Tool => {
  const { $schema, ...inputSchema } = z.toJSONSchema(input, { io: 'input' })
  const annotations = name === 'confirm' ? { destructiveHint: true } : { readOnlyHint: true }
  return { name, description: about, inputSchema: inputSchema as Tool['inputSchema'], annotations }
})

const isAct = (name: string): name is ActTool => Object.hasOwn(ACT_TOOLS, name)

/** Returns the tools that a token may call. Where no history is kept there are no briefs. */
export const definitionsFor = ({ scope }: Pick<McpToken, 'scope'>, { brief }: Pick<SystemSettings, 'brief'>) =>
  DEFINITIONS.filter(({ name }) => (scope === 'act' || !isAct(name)) && (brief.enable || name !== 'brief'))

/** Opens what answers calls of tools. */
export function openCalls({ admin, gate, counts, log, ...deps }: CallDeps) {
  const { settings, clock } = deps
  const acting = openActing({ ...deps, confirmed: counts.confirmed })
  const routes = new Map(admin.map((route) => [`${route.method} ${route.path}`, route]))
  const quoting = perSettings(settings, ({ agent, mcp, publicHost }) => {
    const own = publicHost === '' ? [] : [new URL(publicHost).hostname]
    const hosts = new Set([...mcp.linkHosts, ...own])
    return openQuote({
      redact: createRedact({ ...agent.redaction, enable: true }),
      isAllowed: (host) => hosts.has(host),
    })
  })

  const ask: AskAdmin = async <T>(name: string, { params = {}, query = {}, body }: Parameters<AskAdmin>[1] = {}) => {
    const route = routes.get(name)
    if (route === undefined) throw new Error(`no route ${name}`)
    const texts = Object.entries(query).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, String(value)] as [string, string]],
    )
    const request = { params, query: new URLSearchParams(texts), body, contentType: '', headers: {} }
    return (await route.answer(request)).json as T
  }

  /** Runs a tool with checked arguments. */
  async function run(token: McpToken, name: string, given: unknown): Promise<string> {
    if (isAct(name)) return answerText(await act(token, name, given), quoting())
    const tool = READ_TOOLS[name] as (typeof READ_TOOLS)[string]
    const { cursor: written = '0.', ...args } = checked(tool.input, given) as { cursor?: string; config?: string }
    const place = placeOf(written)
    if (place === undefined) throw new CodedError('bad_parameter', 'cursor is not one of an answer')
    if (args.config !== undefined) gate.spendOn(name, token)
    const paged = { ...args, ...(place.cursor !== '' && { cursor: place.cursor }) }
    return answerText(await tool.read(ask, paged as never), quoting(), place)
  }

  function act(token: McpToken, name: ActTool, given: unknown): Promise<Content> {
    if (name !== 'confirm')
      return acting.preview(token, { action: name, ...checked(ACT_TOOLS[name].input, given) }, ask)
    gate.spendOn(name, token)
    return acting.confirm(token, checked(ACT_TOOLS.confirm.input, given), ask)
  }

  return async (token: McpToken, name: string, given: unknown): Promise<CallToolResult> => {
    const startedAt = performance.now()
    const isKnown = definitionsFor(token, settings()).some((tool) => tool.name === name)
    const done = (outcome: 'ok' | 'refused' | 'failed', text: string): CallToolResult => {
      const label = { tool: isKnown ? name : 'unknown', token: token.name, outcome }
      counts.called(label, performance.now() - startedAt)
      return { content: [{ type: 'text', text }], ...(outcome !== 'ok' && { isError: true }) }
    }
    counts.used(token.name, clock.now())
    if (!isKnown) return done('refused', 'not_found: there is no such tool, or the token may not call it')
    try {
      return done('ok', await run(token, name, given))
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      if (code !== undefined && Object.hasOwn(ERRORS, code))
        return done(
          ERRORS[code as ErrorCode].status < 500 ? 'refused' : 'failed',
          `${code}: ${quoting().text(message)}`,
        )
      log.error({ err: error, tool: name }, 'a call failed because of a bug')
      return done('failed', `internal: ${ERRORS.internal.message}`)
    }
  }
}

/** Throws bad_parameter. */
function checked<S extends z.ZodType>(input: S, given: unknown): z.output<S> {
  const { success, data, error } = input.safeParse(given ?? {})
  if (success) return data
  const [issue] = error.issues
  throw new CodedError('bad_parameter', `${issue?.path.join('.') || 'arguments'}: ${issue?.message}`)
}
