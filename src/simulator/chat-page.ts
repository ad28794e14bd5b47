import { App, us_listen_socket_close, us_socket_local_port, type WebSocketBehavior } from 'uWebSockets.js'
import { readFileSync } from 'node:fs'
import type { Received } from './exchange.ts'
import type { Editing } from './http-kind.ts'

/** A message with its buttons, as a person in the chat sees it. */
export interface ShownMessage {
  readonly text: string
  readonly isReply: boolean
  readonly buttons: readonly { readonly label: string; readonly token: string }[]
}

/** A chat whose buttons can be pressed. */
interface PageChat {
  messages(): readonly ShownMessage[]
  /** Texts that only the person sees, oldest first. */
  said(): readonly string[]
  /** False: the press cannot be handed over. @param message its number, from 1 */
  press(message: number, token: string): boolean
}

interface PageOptions {
  readonly chats: { readonly [name: string]: PageChat }
  /** Answers connections to `/link`. */
  readonly socket: WebSocketBehavior<unknown>
}

/** Shows texts as texts alone: a payload draws nothing. */
const PAGE = readFileSync(new URL('./chat-page.html', import.meta.url))

/** Serves a page with the chats on a free port of the loopback interface, and a socket server beside it. */
export function startChatPage({ chats, socket }: PageOptions): Promise<{ readonly port: number; close(): void }> {
  const app = App()
  app.ws('/link', socket)
  app.get('/', (res) => void res.writeHeader('Content-Type', 'text/html; charset=utf-8').end(PAGE))
  app.get('/chats', (res) => {
    const shown = Object.entries(chats).map(([name, chat]) => ({ name, messages: chat.messages(), said: chat.said() }))
    res.writeHeader('Content-Type', 'application/json').end(JSON.stringify(shown))
  })
  app.post('/press', (res, req) => {
    const chat = chats[req.getQuery('chat') ?? '']
    // Another site that the browser shows could press, too.
    if (chat === undefined || req.getHeader('sec-fetch-site') !== 'same-origin')
      return void res.writeStatus('403 Forbidden').end()
    res.end(String(chat.press(Number(req.getQuery('message')), req.getQuery('token') ?? '')))
  })
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, (listening) => {
      if (!listening) return reject(new Error('the page of the chats cannot listen'))
      const close = () => {
        us_listen_socket_close(listening)
        app.close()
      }
      resolve({ port: us_socket_local_port(listening), close })
    })
  })
}

/** Returns the messages as they are after their edits. */
export function afterEdits(taken: readonly Received[], { editedBy }: Pick<Editing, 'editedBy'>): readonly Received[] {
  const messages: Received[] = []
  for (const request of taken) messages[(editedBy(request) ?? messages.length + 1) - 1] = request
  return messages
}
