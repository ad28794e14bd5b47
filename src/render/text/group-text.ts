import { counted, grouped, lasted } from '../../domain/delivery/notice.ts'
import type { GroupNote, GroupProblem } from '../../domain/group-note.ts'
import { oneLine } from '../../text/one-line.ts'
import { iconOf, shortened } from './digest-text.ts'

const MAX_TITLE = 80
const MAX_SERVICE = 40

/**
 * Returns the lines about a group, which end the message of one of its incidents: `👥 Group 17: 12 problems, 9 fire (+3)` and
 * some of the problems, or `👥 Group 17 is over: 41 alerts of 12 problems in 14 min`. Plain text, not escaped.
 */
export function groupText(note: GroupNote): string {
  const { phase, problems, shown } = note
  if (phase === 'over') return overLine(note)
  const others = problems - 1 - shown.length
  return [
    headline(note),
    ...shown.map(problemLine),
    ...(others > 0 ? [`+${counted(others, 'more problem')}`] : []),
  ].join('\n')
}

function headline({ digest, problems, firing, added, mayRepeat, ownResolved }: GroupNote): string {
  const news = added > 0 && added < problems ? ` (+${grouped(added)})` : ''
  const fires = firing === problems ? 'all fire' : `${grouped(firing)} ${firing === 1 ? 'fires' : 'fire'}`
  return `👥 Group ${digest}: ${counted(problems, 'problem')}${news}, ${fires}${ownResolved ? ' · the one above is resolved' : ''}${repeated(mayRepeat)}`
}

function overLine({ digest, alerts, problems, firing, firstAt, lastAt, mayRepeat }: GroupNote): string {
  const about = `${counted(alerts, 'alert')} of ${counted(problems, 'problem')} in ${lasted(lastAt - firstAt)}`
  const still = firing > 0 ? `, ${grouped(firing)} still ${firing === 1 ? 'fires' : 'fire'}` : ''
  return `👥 Group ${digest} is over: ${about}${still}${repeated(mayRepeat)}`
}

const repeated = (mayRepeat: boolean) => (mayRepeat ? ' (repeated)' : '')

function problemLine({ title, service, level, status }: GroupProblem): string {
  const shown = shortened(oneLine(title), MAX_TITLE)
  const place = service === '' || title.includes(service) ? '' : `${shortened(oneLine(service), MAX_SERVICE)} · `
  return `${iconOf(level, status)} ${place}${shown}${status === 'resolved' ? ' · resolved' : ''}`
}
