import type { Explanation } from '../../api/noise/explain.ts'
import type { RouteRecord, RouteTable } from '../../api/noise/route.ts'
import { CONFIG, defineCommand } from '../define-command.ts'
import { callApi, SERVICE, serviceOf } from '../service.ts'
import { alignedLines } from './columns.ts'
import { explainedLines, explainPayload, PAYLOAD, trialOf } from './explain.ts'

export const routes = defineCommand({
  name: 'routes',
  summary: 'list the rules of routes with their hits, or show which one a payload takes',
  about: `Asks a running service for its rules, in the order in which they are looked at: what matches, where it goes, how often it did, and which
rule is never reached. With --payload it shows which rules the payload matches, and sends and stores nothing. The secret is read
from GATEWAY_SECRET or the configuration.`,
  options: { ...PAYLOAD, ...SERVICE, config: CONFIG },
  async run({ payload, query, at, json, ...where }) {
    const trial = trialOf({ payload, query, at })
    const service = serviceOf(where)
    if (trial !== undefined) {
      print(json, await explainPayload(service, trial), explainedLines)
      return 0
    }
    print(json, (await callApi(service, '/api/admin/routes')) as RouteTable, routeLines)
    return 0
  },
})

function print<T extends Explanation | RouteTable>(json: boolean, answer: T, linesOf: (answer: T) => string[]): void {
  console.log(json ? JSON.stringify(answer) : linesOf(answer).join('\n'))
}

function routeLines({ routes: rules, unmatched }: RouteTable): string[] {
  return alignedLines([
    ['hits', 'rule', 'match', 'to', 'line'],
    ...rules.map((rule) => [
      String(rule.hits),
      rule.name,
      rule.during === null ? rule.match : `${rule.match}; during ${rule.during}`,
      [wayOf(rule.to), ...notesOf(rule)].join('; '),
      rule.line ?? '',
    ]),
    [String(unmatched.hits), '-', rules.length === 0 ? 'every incident' : 'no rule', wayOf(unmatched.to), ''],
  ])
}

const wayOf = (to: readonly string[] | null) => (to === null ? 'every channel' : to.join(', ') || 'nobody')

const notesOf = ({ oncall, continue: goesOn, never_reached_behind }: RouteRecord) => [
  ...(oncall?.enable === false ? ['does not page'] : []),
  ...(goesOn ? ['goes on'] : []),
  ...(never_reached_behind === null ? [] : [`NEVER REACHED behind ${never_reached_behind}`]),
]
