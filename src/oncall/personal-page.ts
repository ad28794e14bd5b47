import { counted } from '../domain/delivery/notice.ts'
import type { PageAction } from '../domain/oncall.ts'
import { isoTime } from '../text/iso-time.ts'
import { type AckPage, escaped, page, paragraph, time } from './ack-page.ts'

/** A message to a person, with the problems that it counts, as they are now. `since`: epoch milliseconds. */
interface Asked {
  readonly person: string
  readonly problems: readonly AskedProblem[]
}

interface AskedProblem {
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly since: number
  readonly over: boolean
  readonly by?: string
}

/** Most problems that the page lists one by one. */
const SHOWN = 20

/** Shows what a person is asked to take, with both buttons while some of it is open. Changes nothing. */
export function askPage(asked: Asked): AckPage {
  if (asked.problems.every(({ over }) => over)) return answered(asked, { title: 'There is nothing left to do' })
  if (asked.problems.every(({ over, by }) => over || by !== undefined))
    return answered(asked, { title: `${namesOf(asked)} has it` })
  const form = `<form method="post">
<button name="action" value="acknowledge">Acknowledge</button>
<button name="action" value="decline" class="no">I cannot</button>
</form>`
  return { status: 200, body: page(`${asked.person}, can you take this?`, [listOf(asked), form]) }
}

/** Says what became of a press. */
export function pressedPage(
  action: PageAction,
  { kind, ...asked }: Asked & { kind: 'done' | 'already' | 'over' },
): AckPage {
  if (kind === 'over') return answered(asked, { title: 'There is nothing left to do', text: 'The problem is over.' })
  if (kind === 'already')
    return answered(asked, { status: 409, title: 'This was answered before', text: 'Nothing was changed.' })
  if (action === 'decline')
    return answered(asked, {
      title: 'Understood: you cannot',
      text: 'The next step of the escalation asks others now.',
    })
  return answered(asked, { title: `${asked.person} has it`, text: 'No further person is asked.' })
}

interface Answered {
  readonly status?: number
  readonly title: string
  readonly text?: string
}

function answered(asked: Asked, { status = 200, title, text }: Answered): AckPage {
  return { status, body: page(title, [...(text === undefined ? [] : [paragraph(text)]), listOf(asked)]) }
}

const namesOf = ({ problems }: Asked) => [...new Set(problems.flatMap(({ by }) => by ?? []))].join(', ')

function listOf({ problems }: Asked): string {
  const items = problems.slice(0, SHOWN).map(({ severity, title, service, since, over, by }) => {
    const state = over ? 'over' : by === undefined ? '' : `${by} has it`
    const facts = [severity, service, state].filter(Boolean).map(escaped)
    return `<li><strong>${escaped(title)}</strong><br>${[...facts, `since ${time(isoTime(since))}`].join(' · ')}</li>`
  })
  const more = problems.length > SHOWN ? [paragraph(`and ${counted(problems.length - SHOWN, 'more problem')}`)] : []
  return [`<ul>\n${items.join('\n')}\n</ul>`, ...more].join('\n')
}
