import { App, type TemplatedApp, type us_listen_socket, us_listen_socket_close } from 'uWebSockets.js'
import { mountAdmin } from './admin.ts'
import { mountPages } from './asset-cache.ts'
import type { Front, FrontOptions, FrontSettings } from './contract.ts'
import { Desk, prepare } from './front-context.ts'
import { routeHealth } from './health.ts'
import { IntakeDesk } from './intake.ts'
import { type Bound, bind, type Sharing } from './listen.ts'
import { routeOpen } from './public-routes.ts'
import { REFUSALS } from './reply.ts'
import { Router, sendTo } from './router.ts'
import { TailDesk } from './tail.ts'

const CLOSE_GRACE_MS = 5_000

/** A front that is not listening yet. Its thread may end only after `close`: an open socket would abort the process. */
export function createFront(options: FrontOptions): Front {
  const desk = new Desk(options)
  const tail = new TailDesk(desk, options.tail, options.tickets)
  const { app, routes } = appOf(options, { desk, tail })
  return new HttpFront({ app, routes, desk, tail, sharing: options.sharedPort ?? 'no' })
}

interface Parts {
  readonly app: TemplatedApp
  readonly routes: readonly string[]
  readonly desk: Desk
  readonly tail: TailDesk
  readonly sharing: Sharing
}

class HttpFront implements Front {
  readonly routes: readonly string[]
  readonly #app: TemplatedApp
  readonly #desk: Desk
  readonly #tail: TailDesk
  readonly #sharing: Sharing
  #socket: us_listen_socket | undefined
  #closing: Promise<void> | undefined

  constructor({ app, routes, desk, tail, sharing }: Parts) {
    this.routes = routes
    this.#app = app
    this.#desk = desk
    this.#tail = tail
    this.#sharing = sharing
  }

  async listen(host: string, port: number): Promise<number> {
    const bound: Bound = await bind(this.#app, { host, port, shared: this.#sharing })
    this.#socket = bound.socket
    return bound.port
  }

  reload(settings: FrontSettings): void {
    const { gateway } = this.#desk.settings
    this.#desk.settings = prepare(settings)
    if (gateway && !gateway.matches(settings.gatewaySecret)) this.#tail.revoke()
  }

  publish(topic: string, text: string): void {
    this.#app.publish(topic, text)
  }

  refuseNew(): void {
    this.#desk.refusing = true
  }

  inflight(): number {
    return this.#desk.load.waiting
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.refuseNew()
    if (this.#socket !== undefined) us_listen_socket_close(this.#socket)
    const { load } = this.#desk
    for (const upload of load.uploads) upload.answer(REFUSALS.shutting_down)
    await withinGrace(load.idle())
    this.#tail.close()
    this.#app.close()
  }
}

function appOf(options: FrontOptions, { desk, tail }: Pick<Parts, 'desk' | 'tail'>): Pick<Parts, 'app' | 'routes'> {
  const app = App()
  const intake = new IntakeDesk(desk, options.submit)
  const router = new Router()
  router.add('POST', '/api/incidents', (res, req) => intake.handle(res, req))
  routeHealth(router, desk, options)
  routeOpen(router, desk, options.open)
  app.post('/api/incidents', (res, req) => intake.handle(res, req))
  router.mount(app)
  tail.mount(app)
  const admin = mountAdmin(app, desk, [...options.admin, ...tail.routes])
  const pages = options.pages && mountPages(app, desk, options.pages)
  app.any('/*', (res, req) => sendTo(res, req, REFUSALS.not_found))
  return { app, routes: [...router.routes, ...admin.routes, ...(pages?.routes ?? [])] }
}

async function withinGrace(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_GRACE_MS)
  })
  await Promise.race([work, grace])
  clearTimeout(timer)
}
