import type { IncidentRecord } from '../../api/incident.ts'
import type { ProblemDetail, ProblemPage, ProblemRecord } from '../../api/noise/problem.ts'
import { defineCommand } from '../define-command.ts'
import { ANSWER, printListOrOne } from './answer.ts'
import { alignedLines } from './columns.ts'

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
    ...ANSWER,
  },
  run({ firing, service, search: q, ...asked }, words) {
    const filter = { status: firing ? 'firing' : undefined, service, q }
    return printListOrOne({ nouns: 'problems', words, asked, filter }, listLines, detailLines)
  },
})

function listLines({ problems: found, firing, next_cursor }: ProblemPage): string[] {
  if (found.length === 0) return ['no problem']
  const table = alignedLines([
    ['problem', 'state', 'since', 'severity', 'service', 'title', 'incidents', 'acknowledged'],
    ...found.map(problemRow),
  ])
  const rest = next_cursor === null ? [] : [`older ones are not shown: the first ${found.length} are`]
  return [...table, `${firing} fire`, ...rest]
}

function problemRow({ id, state, since, level, service, title, firing, acked_by }: ProblemRecord) {
  return [id, state, since, level, service, title, `x${firing}`, acked_by ?? '-']
}

function detailLines(problem: ProblemDetail): string[] {
  const { id, title, state, since, firing, firing_total, resolved_total, incidents } = problem
  return [
    `problem ${id}: ${title}, ${state} since ${since}${endingOf(problem)}`,
    `${firing} firing incidents since ${problem.opened_at}; since ${problem.first_at} ${firing_total} and ${resolved_total} resolved`,
    ...alignedLines(incidents.map(incidentRow)),
  ]
}

function incidentRow({ id, created_at, reported_status, severity, title }: IncidentRecord) {
  return [` ${created_at}`, reported_status, severity, title, id]
}

const ENDINGS = { sender: '', person: ' by a person', quiet: ', because no incident came any more' } as const

const endingOf = ({ ended_by }: ProblemRecord) => (ended_by === null ? '' : ENDINGS[ended_by])
