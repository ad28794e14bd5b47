import type { PublicRequest, PublicRoute } from '../../../src/http/contract.ts'
import { checkLink } from '../../../src/oncall/ack-links.ts'
import { type AckPage, refusalPage } from '../../../src/oncall/ack-page.ts'
import { askPage, pressedPage } from '../../../src/oncall/personal-page.ts'
import { type AckDeps, formOf, pageRoutes } from './acknowledge.ts'

/**
 * The page behind the link in a message to a person: GET asks, only POST acts. The signature is that of one message, which belongs
 * to one person, so the page takes no name.
 */
export function personalLinkRoutes({ askStorage, key, now }: AckDeps): PublicRoute[] {
  async function opened(
    { params, query }: PublicRequest,
    show: (message: number) => Promise<AckPage>,
  ): Promise<AckPage> {
    const { message = '' } = params
    const known = await key()
    const state = known === undefined ? 'forged' : checkLink(known, { id: message, query, purpose: 'page' }, now())
    return state === 'valid' ? show(Number(message)) : refusalPage(state)
  }

  return pageRoutes('/api/ack/page/:message', {
    ask: (request) =>
      opened(request, async (message) => {
        const asked = await askStorage({ kind: 'oncall.page', message })
        return asked === undefined ? refusalPage('unknown') : askPage(asked)
      }),
    act: (request) =>
      opened(request, async (message) => {
        const action = formOf(request)?.get('action')
        if (action !== 'acknowledge' && action !== 'decline') return refusalPage('unsupported')
        const pressed = await askStorage({ kind: 'oncall.pressPage', message, action })
        return pressed.kind === 'unknown' ? refusalPage('unknown') : pressedPage(action, pressed)
      }),
  })
}
