import { App, us_listen_socket_close, us_socket_local_port, type WebSocketBehavior } from 'uWebSockets.js'
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

/** Serves a page with the chats on a free port of the loopback interface, and a socket server beside it. */
export function startChatPage({ chats, socket }: PageOptions): Promise<{ readonly port: number; close(): void }> {
  const app = App()
  app.ws('/link', socket)
  app.get('/', (res) => void res.writeHeader('Content-Type', 'text/html; charset=utf-8').end(HTML))
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

/** Shows texts as texts alone: a payload draws nothing. */
const HTML = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Chats of the demo</title><link rel="icon" href="data:,">
<style>
  body { margin: 0 auto; max-width: 80rem; padding: 1rem; font: 15px/1.45 system-ui, sans-serif; color-scheme: light dark }
  main { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1.5rem }
  article, .said { margin: .5rem 0; padding: .6rem .8rem; border: 1px solid #8886; border-radius: .5rem; overflow-wrap: anywhere; white-space: pre-wrap }
  article.reply { margin-left: 1.5rem; font-size: .9em }
  button { margin: .5rem .4rem 0 0; font: inherit }
  .said { border-style: dashed; font-size: .9em }
</style>
<h1>Chats of the demo</h1>
<p>You are Ada Lovelace. A press goes the way that it takes from the real chat; the message is edited when it is on disk.</p>
<main></main>
<script>
  const make = (tag, text, name = '') => Object.assign(document.createElement(tag), { textContent: text, className: name })
  let shown = ''
  function messageOf(chat, { text, isReply, buttons }, at) {
    const article = make('article', text, isReply ? 'reply' : '')
    if (buttons.length > 0) article.append(make('br', ''))
    for (const { label, token } of buttons) {
      const button = make('button', label)
      button.onclick = async () => {
        button.disabled = true
        const query = new URLSearchParams({ chat, message: at + 1, token })
        const taken = await fetch('/press?' + query, { method: 'POST' }).then((answer) => answer.text(), () => 'false')
        if (taken !== 'true') button.textContent = '\u26a0 ' + label
        button.disabled = false
      }
      article.append(button)
    }
    return article
  }
  async function show() {
    const text = await fetch('/chats').then((answer) => answer.text(), () => shown)
    if (text !== shown) document.querySelector('main').replaceChildren(...JSON.parse(text).map(({ name, messages, said }) => {
      const section = make('section', '')
      section.ariaLabel = name
      const notes = said.slice(-3).map((note) => make('p', 'Only you see this: ' + note, 'said'))
      section.append(make('h2', name), ...notes, ...messages.map((each, at) => messageOf(name, each, at)).reverse())
      return section
    }))
    shown = text
    setTimeout(show, 300)
  }
  show()
</script>
`
