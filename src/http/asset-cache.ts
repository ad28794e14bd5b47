import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js'
import type { PageFile } from './contract.ts'
import type { Desk } from './front-context.ts'
import { Exchange } from './pending-response.ts'
import { makeReply, REFUSALS, type Reply, type ReplyHeaders } from './reply.ts'
import { Router, sendTo } from './router.ts'

/** Nothing inline, nothing from elsewhere; `data:` pictures are those a style draws its marks with. */
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

/** A file in one encoding: as it is sent, and as it is sent to who has it. */
interface Served {
  readonly whole: Reply
  readonly unchanged: Reply
  readonly etag: string
}
/** By encoding, best first; the last is `identity`. */
type Variants = ReadonlyMap<string, Served>
type Files = ReadonlyMap<string, Variants>

/** Serves the dashboard at `/` and `/assets/` as long as there is a gateway secret; `load` is called when it is first asked for. */
export function mountPages(app: TemplatedApp, desk: Desk, load: () => Promise<readonly PageFile[]>): Router {
  const shelf = new Shelf(load)
  const handler = (res: HttpResponse, req: HttpRequest) => {
    const asked = askedOf(req)
    if (shelf.files !== undefined) return sendTo(res, req, replyOf(shelf.files, asked))
    const exchange = new Exchange(res, desk.load)
    exchange.bodiless = req.getMethod() === 'head'
    exchange.begin()
    shelf
      .filled()
      .then((files) => replyOf(files, asked))
      .catch((error) => desk.failure(error))
      .then((reply) => exchange.answer(reply))
  }
  const router = new Router()
  router.add('GET', '/', handler)
  router.add('GET', '/assets/:name', handler)
  router.mount(app, (res, req) => {
    if (desk.settings.gateway !== undefined) return false
    sendTo(res, req, REFUSALS.not_found)
    return true
  })
  return router
}

/** The files as replies, once they are loaded. */
class Shelf {
  files: Files | undefined
  readonly #load: () => Promise<readonly PageFile[]>
  #loading: Promise<Files> | undefined

  constructor(load: () => Promise<readonly PageFile[]>) {
    this.#load = load
  }

  /** Loads them, for all who ask meanwhile; after a rejection the next one to ask tries again. */
  filled(): Promise<Files> {
    this.#loading ??= this.#fill().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #fill(): Promise<Files> {
    const made = await this.#load()
    this.files = new Map(made.map((file) => [file.path, variantsOf(file)]))
    return this.files
  }
}

interface Asked {
  readonly path: string
  readonly accepts: string
  readonly has: string
}

const askedOf = (req: HttpRequest): Asked => ({
  path: req.getUrl(),
  accepts: req.getHeader('accept-encoding'),
  has: req.getHeader('if-none-match'),
})

function replyOf(files: Files, { path, accepts, has }: Asked): Reply {
  const variants = files.get(path)
  const taken = encodingsIn(accepts)
  const encoding = [...(variants?.keys() ?? [])].find((each) => each === 'identity' || taken.has(each))
  const served = variants?.get(encoding ?? '')
  if (served === undefined) return REFUSALS.not_found
  return has.includes(served.etag) ? served.unchanged : served.whole
}

/** Names in an Accept-Encoding that are not ruled out by `q=0`. */
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
