import type { DigestDetail, DigestPage, DigestProblem, DigestRecord } from '../../api/noise/digest.ts'
import { destinationName } from '../../domain/delivery/delivery.ts'
import { defineCommand } from '../define-command.ts'
import { ANSWER, printListOrOne } from './answer.ts'
import { alignedLines } from './columns.ts'

export const digests = defineCommand({
  name: 'digests',
  summary: 'list the digests of a running service, or the problems of one',
  about: `Asks a running service for its digests, newest first; with a number, for the problems of that one, loudest first. The secret is read
from GATEWAY_SECRET or the configuration.`,
  word: 'NUMBER',
  options: {
    open: { description: 'only those that are open: their storm lasts, or a problem of their group fires' },
    destination: { value: 'NAME', description: 'only digests of a destination: chatws, or chatws:payments' },
    ...ANSWER,
  },
  run({ open, destination, ...asked }, words) {
    const filter = { open: open ? 'true' : undefined, destination }
    return printListOrOne({ nouns: 'digests', words, asked, filter }, listLines, detailLines)
  },
})

function listLines({ digests: found, next_cursor }: DigestPage): string[] {
  if (found.length === 0) return ['no digest']
  const table = alignedLines([
    ['digest', 'kind', 'destination', 'state', 'opened', 'closed', 'incidents', 'notified', 'problems', 'updates'],
    ...found.map(digestRow),
  ])
  return next_cursor === null ? table : [...table, `older ones are not shown: the newest ${found.length} are`]
}

function digestRow(digest: DigestRecord) {
  const { number, kind, state, opened_at, closed_at, incidents, notified, problems, update } = digest
  const times = [opened_at, closed_at ?? '-']
  return [number, kind, destinationName(digest), state, ...times, incidents, notified, problems, update]
}

function detailLines(digest: DigestDetail): string[] {
  const { number, kind, state, incidents, notified, problems, problem_list, opened_at, closed_at } = digest
  const until = closed_at === null ? 'open' : `until ${closed_at}`
  return [
    `digest ${number} for ${destinationName(digest)}: ${kind}, ${state}, since ${opened_at}, ${until}`,
    `${incidents} incidents of ${problems} problems, ${notified} notified`,
    ...alignedLines(problem_list.map(problemRow)),
    ...(problems > problem_list.length ? [`the quietest ${problems - problem_list.length} are not listed`] : []),
  ]
}

function problemRow({
  severity,
  service,
  title,
  status,
  firing,
  resolved,
  by_message,
  last_incident_id,
}: DigestProblem) {
  return [` ${severity}`, service, title, `x${firing + resolved + by_message}`, status, last_incident_id]
}
