import { createHash } from 'node:crypto'
import { openButtons } from '../../../src/answers/buttons.ts'
import { readToken } from '../../../src/answers/token.ts'
import type { IncidentRecord } from '../../../src/api/incident.ts'
import type { PublicRequest, PublicRoute } from '../../../src/http/contract.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { checkLink } from '../../../src/oncall/ack-links.ts'
import { type AckPage, type AnswerPage, answerPage, failurePage, refusalPage } from '../../../src/oncall/ack-page.ts'
import { personOf } from '../../../src/oncall/person.ts'
import type { Ask } from '../../messages/query.ts'
import type { StorageQueries } from '../../messages/storage-queries.ts'
import { hasAnswerLinks } from '../../wiring/boot.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import { formOf, pageRoutes } from '../api/acknowledge.ts'
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
 * The page behind the link of a message: GET shows the state of the problem and a form with the buttons, only POST acts. Each
 * button carries the token of what it does, and counts once with a link.
 */
export function linkRoutes({ presses, askStorage, settings, clock }: LinkDeps): PublicRoute[] {
  async function opened({ params: { id = '' }, query }: PublicRequest, show: Show): Promise<AckPage> {
    if (!hasAnswerLinks(settings())) return refusalPage('closed')
    const key = await presses.key()
    if (key === undefined) return refusalPage('forged')
    const state = checkLink(key, { id, query, purpose: 'answer' }, clock.now())
    return state === 'valid' ? show(id, key) : refusalPage(state)
  }

  async function pageOf(id: string, key: Uint8Array, said: Pick<AnswerPage, 'status' | 'title'> = {}) {
    const incident = await askStorage({ kind: 'record', id })
    return incident ? answerPage(incident, { ...said, buttons: buttonsOf(key, incident) }) : refusalPage('unknown')
  }

  const buttonsOf = (key: Uint8Array, { id, status, acked_at, resolved_at }: IncidentRecord) =>
    openButtons(key, settings().answers.buttons)(
      {
        subject: { kind: 'incident', id },
        phase: status === 'resolved' || resolved_at !== null ? 'over' : 'firing',
        acknowledged: acked_at !== null,
        silenced: false,
      },
      clock.now(),
    ).buttons

  return pageRoutes('/api/answer/:id', {
    ask: (request) => opened(request, pageOf),
    act: (request) =>
      opened(request, async (id, key) => {
        const form = formOf(request)
        if (form === undefined) return refusalPage('unsupported')
        const token = form.get('token') ?? ''
        const { order, phone } = readToken(key, token) ?? {}
        if (order?.subject.kind !== 'incident' || order.subject.id !== id || phone) return refusalPage('forged')
        const name = personOf((form.get('name') ?? '').replace(/[()[\]{}<>]/g, ' ')) ?? 'a person'
        const sig = new URLSearchParams(request.query).get('sig')
        const pressed = await presses.submit({
          ...{ ...order, via: 'link', actor: `${name} (link)`, actorId: '', place: '' },
          key: `link ${createHash('sha256').update(`${sig} ${token}`).digest('hex')}`,
        })
        if (pressed === undefined) return failurePage()
        const { again, result, text } = pressed
        return again && result === 'done'
          ? pageOf(id, key, { status: 409, title: `With this link it was done before. ${text}` })
          : pageOf(id, key, { status: STATUS[result], title: text })
      }),
  })
}

type Show = (id: string, key: Uint8Array) => Promise<AckPage>
