import type { ProblemDetail, ProblemPage, ProblemRecord } from '../../api/noise/problem.ts'
import { UsageError } from '../command.ts'
import { CONFIG, defineCommand } from '../define-command.ts'
import { callApi, SERVICE, serviceOf } from '../service.ts'
import { alignedLines } from './columns.ts'

const SHOWN = 50

export const problems = defineCommand({
  name: 'problems',
  summary: 'list the problems of a running service, or the incidents of one',
  about: `Asks a running service for its problems: those that fire first, then the latest first; with a number, for the incidents of that one.
The secret is read from GATEWAY_SECRET or the configuration.`,
  word: 'NUMBER',
  options: {
    firing: { description: 'only problems that fire' },
    service: { value: 'NAME', description: 'only problems of a service' },
    search: { value: 'TEXT', description: 'only problems with this in title, service or fingerprint' },
    json: { description: 'print the answer as JSON' },
    ...SERVICE,
    config: CONFIG,
  },
  async run({ firing, service: name, search, json, ...where }, [number, ...more]) {
    if (more.length > 0 || (number !== undefined && !/^\d+$/.test(number)))
      throw new UsageError('problems takes the number of one problem')
    const service = serviceOf(where)
    const query = new URLSearchParams({ limit: String(SHOWN) })
    if (firing) query.set('status', 'firing')
    if (name !== undefined) query.set('service', name)
    if (search !== undefined) query.set('q', search)
    const path = number === undefined ? `/api/admin/problems?${query}` : `/api/admin/problems/${number}`
    const answer = await callApi(service, path)
    const lines = () => (number === undefined ? listLines(answer as ProblemPage) : detailLines(answer as ProblemDetail))
    console.log(json ? JSON.stringify(answer) : lines().join('\n'))
    return 0
  },
})

function listLines({ problems: found, firing, next_cursor }: ProblemPage): string[] {
  if (found.length === 0) return ['no problem']
  const table = alignedLines([
    ['problem', 'state', 'since', 'severity', 'service', 'title', 'incidents', 'acknowledged'],
    ...found.map((problem) => [
      String(problem.id),
      problem.state,
      problem.since,
      problem.level,
      problem.service,
      problem.title,
      `x${problem.firing}`,
      problem.acked_by ?? '-',
    ]),
  ])
  const rest = next_cursor === null ? [] : [`older ones are not shown: the first ${found.length} are`]
  return [...table, `${firing} fire`, ...rest]
}

function detailLines(problem: ProblemDetail): string[] {
  const { id, title, state, since, firing, firing_total, resolved_total, incidents } = problem
  return [
    `problem ${id}: ${title}, ${state} since ${since}${endingOf(problem)}`,
    `${firing} firing incidents since ${problem.opened_at}; since ${problem.first_at} ${firing_total} and ${resolved_total} resolved`,
    ...alignedLines(
      incidents.map((incident) => [
        ` ${incident.created_at}`,
        incident.reported_status,
        incident.severity,
        incident.title,
        incident.id,
      ]),
    ),
  ]
}

const ENDINGS = { sender: '', person: ' by a person', quiet: ', because no incident came any more' } as const

const endingOf = ({ ended_by }: ProblemRecord) => (ended_by === null ? '' : ENDINGS[ended_by])
