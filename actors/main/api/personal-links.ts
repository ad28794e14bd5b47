import type { PublicRoute } from '../../../src/http/contract.ts'
import { refusalPage } from '../../../src/oncall/ack-page.ts'
import { askPage, pressedPage } from '../../../src/oncall/personal-page.ts'
import { type AckDeps, linkRoutes } from './acknowledge.ts'

/** The page behind the link in a message to a person. The signature is that of one message, so the page takes no name. */
export const personalLinkRoutes = ({ askStorage, key, now }: AckDeps): PublicRoute[] =>
  linkRoutes({
    ...{ path: '/api/ack/page/:message', purpose: 'page', key, now },
    async ask({ id }) {
      const asked = await askStorage({ kind: 'oncall.page', message: Number(id) })
      return asked === undefined ? refusalPage('unknown') : askPage(asked)
    },
    async act({ id }, form) {
      const action = form.get('action')
      if (action !== 'acknowledge' && action !== 'decline') return refusalPage('unsupported')
      const pressed = await askStorage({ kind: 'oncall.pressPage', message: Number(id), action })
      return pressed.kind === 'unknown' ? refusalPage('unknown') : pressedPage(action, pressed)
    },
  })
