import { z } from 'zod'
import { count, nonNegative, type Shape, time } from '../fields.ts'

const line = z.string().nullable().describe('File and line of the configuration, as `config/config.yaml:112`')

export const RouteRecord = z
  .object({
    name: z.string(),
    line,
    match: z.string().describe('The conditions in words, without schedules'),
    during: z.string().nullable().describe('Schedule in which it applies, or `outside NAME`'),
    active: z.boolean().describe('Whether its schedule applies now'),
    to: z
      .array(z.string())
      .nullable()
      .describe('`channel` or `channel:target`; empty: nobody; null: as without routes'),
    oncall: z
      .object({
        enable: z.boolean().nullable(),
        wait_minutes: nonNegative.nullable(),
        routing_key: z.string().nullable(),
        escalation: z.string().optional().describe('Absent: the rule names none'),
      })
      .nullable()
      .describe('Paging; null, as each part: as `oncall` says'),
    priority: z.enum(['high', 'normal', 'low']).nullable().describe('null: by severity'),
    continue: z.boolean().describe('Whether later rules are looked at too'),
    hits: count.describe('Incidents that it matched; survives restarts'),
    last_hit_at: time.nullable(),
    never_reached_behind: z
      .string()
      .nullable()
      .describe('Names of the earlier rules that together match all that this one would'),
  })
  .describe('One rule of `routes`')
export type RouteRecord = Shape<typeof RouteRecord>

export const RouteTable = z.object({
  routes: z.array(RouteRecord).describe('In the order in which they are looked at'),
  unmatched: z
    .object({ to: z.array(z.string()), hits: count })
    .describe('Incidents that no rule matched, those from before the rules included'),
})
export type RouteTable = Shape<typeof RouteTable>
