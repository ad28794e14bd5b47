import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { SingleFlight } from '../async/single-flight.ts'
import type { PageFile } from './contract.ts'
import type { FrontContext } from './front-context.ts'
import { ERROR_REPLIES, makeReply, type Reply, type ReplyHeaders } from './reply.ts'
import { answerLater } from './route-handler.ts'
import { Router, sendTo } from './router.ts'

/** Allows no inline code and no other origins. Style sheets contain `data:` pictures. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
const FOREVER = 'public, max-age=31536000, immutable'

/** A file in one encoding: the full reply, and the 304 for a client that has it already. */
interface Served {
  readonly whole: Reply
  readonly unchanged: Reply
  readonly etag: string
}
/** Replies by encoding, best first; the last is `identity`. */
type Variants = ReadonlyMap<string, Served>
type Files = ReadonlyMap<string, Variants>

/** Serves the dashboard at `/` and `/assets/` while there is a gateway secret. Calls `load` at the first request. */
export function mountPages(app: TemplatedApp, context: FrontContext, load: () => Promise<readonly PageFile[]>): Router {
  /** undefined until they are loaded. */
  let files: Files | undefined
  /** Requests share one load (single flight); after a rejection the next request tries again. */
  const loading = new SingleFlight(async () => {
    files = new Map((await load()).map((file) => [file.path, variantsOf(file)]))
    return files
  })
  const handler = (res: HttpResponse, req: HttpRequest) => {
    const request = assetRequestOf(req)
    if (files !== undefined) return sendTo(res, req, replyOf(files, request))
    answerLater(res, req, context, async () => replyOf(await loading.run(), request))
  }
  const router = new Router()
  router.add('GET', '/', handler)
  router.add('GET', '/assets/:name', handler)
  router.mount(app, (res, req) => {
    if (context.settings.gateway !== undefined) return false
    sendTo(res, req, ERROR_REPLIES.not_found)
    return true
  })
  return router
}

interface AssetRequest {
  readonly path: string
  readonly accepts: string
  readonly has: string
}

const assetRequestOf = (req: HttpRequest): AssetRequest => ({
  path: req.getUrl(),
  accepts: req.getHeader('accept-encoding'),
  has: req.getHeader('if-none-match'),
})

function replyOf(files: Files, { path, accepts, has }: AssetRequest): Reply {
  const variants = files.get(path)
  const taken = encodingsIn(accepts)
  const encoding = [...(variants?.keys() ?? [])].find((each) => each === 'identity' || taken.has(each))
  const served = variants?.get(encoding ?? '')
  if (served === undefined) return ERROR_REPLIES.not_found
  return has.includes(served.etag) ? served.unchanged : served.whole
}

/** Returns the names of an Accept-Encoding header, without those that `q=0` excludes. */
function encodingsIn(accepts: string): Set<string> {
  const taken = accepts.split(',').filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
  return new Set(taken.map((each) => (each.split(';')[0] ?? '').trim().toLowerCase()))
}

function variantsOf({ path, type, tag, plain, encoded }: PageFile): Variants {
  const bodies: [string, Uint8Array][] = [...Object.entries(encoded), ['identity', plain]]
  return new Map(
    bodies.map(([encoding, body]) => {
      const etag = `"${tag}-${encoding}"`
      const headers: ReplyHeaders = {
        ETag: etag,
        Vary: 'Accept-Encoding',
        'Cache-Control': path === '/' ? 'no-cache' : FOREVER,
        'Content-Security-Policy': POLICY,
      }
      const coding: ReplyHeaders = encoding === 'identity' ? {} : { 'Content-Encoding': encoding }
      const whole = makeReply(200, body, { ...headers, 'Content-Type': type, ...coding })
      return [encoding, { etag, whole, unchanged: makeReply(304, '', headers) }]
    }),
  )
}
