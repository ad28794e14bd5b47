import { createHash } from 'node:crypto'
import { openButtons } from '../../../src/answers/buttons.ts'
import { readToken } from '../../../src/answers/token.ts'
import type { IncidentRecord } from '../../../src/api/incident.ts'
import type { PublicRoute } from '../../../src/http/contract.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { type AnswerPage, answerPage, failurePage, refusalPage } from '../../../src/oncall/ack-page.ts'
import { unlistedName } from '../../../src/oncall/person.ts'
import type { Ask } from '../../messages/query.ts'
import type { StorageQueries } from '../../messages/storage-queries.ts'
import { hasAnswerLinks } from '../../wiring/boot.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import { linkRoutes, type OpenedLink, recordOf } from '../api/acknowledge.ts'
import { STATUS } from './phone.ts'
import type { Presses } from './press.ts'

interface LinkDeps {
  readonly presses: Pick<Presses, 'key' | 'submit'>
  readonly askStorage: Ask<StorageQueries>
  /** The settings that run now. */
  settings(): SystemSettings
  readonly clock: Pick<Clock, 'now'>
}

/**
 * The page behind the link of a message: it shows the state of the problem and a form with the buttons. Each button carries the token
 * of what it does, and counts once with a link.
 */
export function answerLinkRoutes({ presses, askStorage, settings, clock }: LinkDeps): PublicRoute[] {
  /** Shows the problem, which other incidents may have changed, and which retention keeps for longer than its incidents. */
  async function pageOf({ id, problem: number, key }: OpenedLink, said: Pick<AnswerPage, 'status' | 'title'> = {}) {
    const problem = number === undefined ? undefined : await askStorage({ kind: 'problem', id: number })
    const subject = problem ? recordOf(problem) : await askStorage({ kind: 'record', id })
    if (subject === undefined) return refusalPage('unknown')
    return answerPage(subject, { ...said, buttons: buttonsOf(key, { ...subject, id }) })
  }

  const buttonsOf = (key: Uint8Array, { id, status, acked_at }: Pick<IncidentRecord, 'id' | 'status' | 'acked_at'>) =>
    openButtons(key, settings().answers.buttons)(
      {
        subject: { kind: 'incident', id },
        phase: status === 'resolved' ? 'over' : 'firing',
        acknowledged: acked_at !== null,
        silenced: false,
      },
      clock.now(),
    ).buttons

  return linkRoutes({
    ...{ path: '/api/answer/:id', purpose: 'answer', key: presses.key, now: () => clock.now() },
    isOpen: () => hasAnswerLinks(settings()),
    ask: (link) => pageOf(link),
    async act(link, form) {
      const { id, key, request } = link
      const token = form.get('token') ?? ''
      const { order, phone } = readToken(key, token) ?? {}
      if (order?.subject.kind !== 'incident' || order.subject.id !== id || phone) return refusalPage('forged')
      const name = unlistedName(form.get('name') ?? '') ?? 'a person'
      const sig = new URLSearchParams(request.query).get('sig')
      const pressed = await presses.submit({
        ...{ ...order, via: 'link', actor: `${name} (link)`, actorId: '', place: '' },
        key: `link ${createHash('sha256').update(`${sig} ${token}`).digest('hex')}`,
      })
      if (pressed === undefined) return failurePage()
      const { again, result, text } = pressed
      return again && result === 'done'
        ? pageOf(link, { status: 409, title: `With this link it was done before. ${text}` })
        : pageOf(link, { status: STATUS[result], title: text })
    },
  })
}
