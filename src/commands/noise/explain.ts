import type { Shape } from '../../api/fields.ts'
import type { ExplainRequest, ExplainStep, Explanation } from '../../api/noise/explain.ts'
import { UsageError } from '../command.ts'
import { defineCommand, type ParsedArguments } from '../define-command.ts'
import { contentOf, payloadOf } from '../payload-file.ts'
import { callApi, type Service, serviceOf } from '../service.ts'
import { ANSWER, print } from './answer.ts'
import { alignedLines } from './columns.ts'

/** Options of commands that ask a running service, also about a payload. */
export const PAYLOAD = {
  payload: { value: 'FILE', description: 'a JSON object that is not stored; - reads standard input' },
  query: { value: 'TEXT', description: 'query parameters of the request, with --payload: oncall_enable=false' },
  at: {
    value: 'TIME',
    description: 'moment at which schedules are asked and who is on call, with --payload; default: now',
  },
  ...ANSWER,
} as const

export const explain = defineCommand({
  name: 'explain',
  summary: 'show who was notified of an incident and why, or what would happen to a payload',
  about: `Asks a running service for each decision about an incident, with the line of the configuration that decided. With --payload it shows
what the service would do, and sends and stores nothing. The secret is read from GATEWAY_SECRET or the configuration.`,
  word: 'ID',
  options: PAYLOAD,
  async run(asked, [id, ...more]) {
    if (more.length > 0 || (id === undefined) === (asked.payload === undefined))
      throw new UsageError('explain takes the id of one incident, or --payload FILE')
    const trial = trialOf(asked)
    const service = serviceOf(asked)
    const stored = `/api/admin/incidents/${encodeURIComponent(id ?? '')}/explain`
    const answer = await (trial === undefined ? callApi<Explanation>(service, stored) : explainPayload(service, trial))
    print(asked.json, answer, explainedLines)
    return 0
  },
})

type TrialOptions = Pick<ParsedArguments<typeof PAYLOAD>, 'payload' | 'query' | 'at'>

type Trial = Shape<typeof ExplainRequest>

/** Returns the question that the options ask; undefined without a payload. Throws a UsageError. */
export function trialOf({ payload, query, at }: TrialOptions): Trial | undefined {
  if (payload === undefined) {
    if ((query ?? at) !== undefined) throw new UsageError('--query and --at need --payload FILE')
    return undefined
  }
  const moment = new Date(at ?? 0)
  if (Number.isNaN(moment.getTime()))
    throw new UsageError(`--at ${at} is not a time: write it as 2026-11-24T09:30:00+01:00`)
  return {
    payload: payloadOf(contentOf(payload).toString('utf8'), payload),
    ...(query !== undefined && { query: Object.fromEntries(new URLSearchParams(query)) }),
    ...(at !== undefined && { at: moment.toISOString() }),
  }
}

/** Asks the service what it would do. Rejects with a ServiceError. */
export const explainPayload = (service: Service, trial: Trial) =>
  callApi<Explanation>(service, '/api/admin/explain', { method: 'POST', json: trial })

/** Returns the title, and a line for each decision: stage, verdict, facts, line of the configuration. */
export const explainedLines = ({ title, decisions }: Pick<Explanation, 'title' | 'decisions'>): string[] => [
  ...alignedLines([[title]]),
  ...alignedLines(decisions.map(row)),
]

function row({ stage, subject, verdict, because, line }: ExplainStep) {
  return [` ${stage} ${subject}`.trimEnd(), verdict, because, line ?? '']
}
