import { createHash } from 'node:crypto'
import { openButtons } from '../../../src/answers/buttons.ts'
import { readToken } from '../../../src/answers/token.ts'
import type { IncidentRecord } from '../../../src/api/incident.ts'
import type { PublicRequest, PublicRoute } from '../../../src/http/contract.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { checkLink, type LinkState } from '../../../src/oncall/ack-links.ts'
import { answerPage, failurePage, refusalPage } from '../../../src/oncall/ack-page.ts'
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
  async function opened({ params: { id = '' }, query }: PublicRequest) {
    const key = await presses.key()
    const refusal = ((): Exclude<LinkState, 'valid'> | 'closed' | undefined => {
      if (!hasAnswerLinks(settings())) return 'closed'
      const state = key ? checkLink(key, { id, query, purpose: 'answer' }, clock.now()) : 'forged'
      return state === 'valid' ? undefined : state
    })()
    return { id, key: key as Uint8Array, refusal }
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
    async ask(request) {
      const { id, key, refusal } = await opened(request)
      if (refusal) return refusalPage(refusal)
      const incident = await askStorage({ kind: 'record', id })
      return incident ? answerPage(incident, { buttons: buttonsOf(key, incident) }) : refusalPage('unknown')
    },
    async act(request) {
      const { id, key, refusal } = await opened(request)
      if (refusal) return refusalPage(refusal)
      const form = formOf(request)
      if (form === undefined) return refusalPage('unsupported')
      const token = form.get('token') ?? ''
      const { order, phone } = readToken(key, token) ?? {}
      if (order?.subject.kind !== 'incident' || order.subject.id !== id || phone) return refusalPage('forged')
      const name = personOf((form.get('name') ?? '').replace(/[()[\]{}<>]/g, ' ')) ?? 'a person'
      const pressed = await presses.submit({
        ...{ ...order, via: 'link', actor: `${name} (link)`, actorId: '', place: '' },
        key: `link ${createHash('sha256')
          .update(`${new URLSearchParams(request.query).get('sig')} ${token}`)
          .digest('hex')}`,
      })
      if (pressed === undefined) return failurePage()
      const incident = await askStorage({ kind: 'record', id })
      if (incident === undefined) return refusalPage('unknown')
      const { again, result, text } = pressed
      const title = again ? `With this link it was done before. ${text}` : text
      return answerPage(incident, { status: again ? 409 : STATUS[result], title, buttons: buttonsOf(key, incident) })
    },
  })
}
