import type { McpTokenList } from '../../../src/api/mcp.ts'
import { ERRORS } from '../../../src/domain/errors.ts'
import type { AdminRoute, PublicRoute } from '../../../src/http/contract.ts'
import type { McpFigures } from '../../../src/telemetry/snapshot.ts'
import { jsonAnswer } from '../doors/door.ts'
import type { McpDeps } from '../mcp/serving.ts'
import { route } from './route.ts'

/** Revision, method and name mirror the body; clients of the newest revision must send them. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'authorization', 'origin']
const MAX_BODY_BYTES = 64 * 1_024
const NONE: McpFigures = { calls: new Map(), refused: new Map(), confirmed: new Map(), tookMs: new Map() }

export interface Mcp {
  figures(): McpFigures
  /** Returns the routes. Without a token there is no `/mcp`. */
  routes(deps: Omit<McpDeps, keyof Own>): { readonly admin: AdminRoute; readonly publicRoutes: readonly PublicRoute[] }
}

type Own = Pick<McpDeps, 'settings' | 'clock' | 'log'>

/** `/mcp` and the list of its tokens. The code behind them is loaded at a start with a token, never without one. */
export function openMcp(own: Own): Mcp {
  let serving: ReturnType<typeof import('../mcp/serving.ts').serveMcp> | undefined
  return {
    figures: () => serving?.figures() ?? NONE,
    routes(deps) {
      const list = route<McpTokenList>('GET', '/api/admin/mcp', () => serving?.list() ?? { tokens: [] })
      if (own.settings().mcp.tokens.length === 0) return { admin: list, publicRoutes: [] }
      const loaded = import('../mcp/serving.ts').then(({ serveMcp }) => {
        serving = serveMcp({ ...own, ...deps })
        return serving
      })
      loaded.catch((err) => own.log.error({ err }, '/mcp cannot be served'))
      const publicRoute: PublicRoute = {
        method: 'POST',
        path: '/mcp',
        headers: HEADERS,
        maxBodyBytes: MAX_BODY_BYTES,
        unavailable: ({ code, message }) => jsonAnswer(ERRORS[code].status, { error: message }, { 'Retry-After': '2' }),
        answer: async (request) => (await loaded).answer(request),
      }
      return { admin: list, publicRoutes: [publicRoute] }
    },
  }
}
