import type { RouteRecord, RouteTable } from '../../api/noise/route.ts'
import { defineCommand } from '../define-command.ts'
import { callApi, serviceOf } from '../service.ts'
import { print } from './answer.ts'
import { alignedLines } from './columns.ts'
import { explainedLines, explainPayload, PAYLOAD, trialOf } from './explain.ts'

export const routes = defineCommand({
  name: 'routes',
  summary: 'list the rules of routes with their hits, or show which one a payload takes',
  about: `Asks a running service for its rules, in the order in which they are looked at: what matches, where it goes, how often it did, and which
rule is never reached. With --payload it shows which rules the payload matches, and sends and stores nothing. The secret is read
from GATEWAY_SECRET or the configuration.`,
  options: PAYLOAD,
  async run(asked) {
    const trial = trialOf(asked)
    const service = serviceOf(asked)
    if (trial === undefined) print(asked.json, await callApi<RouteTable>(service, '/api/admin/routes'), routeLines)
    else print(asked.json, await explainPayload(service, trial), explainedLines)
    return 0
  },
})

function routeLines({ routes: rules, unmatched }: RouteTable): string[] {
  return alignedLines([
    ['hits', 'rule', 'match', 'to', 'line'],
    ...rules.map((rule) => {
      const match = rule.during === null ? rule.match : `${rule.match}; during ${rule.during}`
      return [rule.hits, rule.name, match, [wayOf(rule.to), ...notesOf(rule)].join('; '), rule.line ?? '']
    }),
    [unmatched.hits, '-', rules.length === 0 ? 'every incident' : 'no rule', wayOf(unmatched.to), ''],
  ])
}

const wayOf = (to: readonly string[] | null) => (to === null ? 'every channel' : to.join(', ') || 'nobody')

const notesOf = ({ oncall, continue: goesOn, never_reached_behind }: RouteRecord) => [
  ...(oncall?.enable === false ? ['does not page'] : []),
  ...(goesOn ? ['goes on'] : []),
  ...(never_reached_behind === null ? [] : [`NEVER REACHED behind ${never_reached_behind}`]),
]
