import { createHash } from 'node:crypto'
import type { LinkState } from './ack-links.ts'
import { MAX_NAME } from './person.ts'

/** An HTML page behind an acknowledge link, for phones: without scripts, and without anything from another address. */
export interface AckPage {
  readonly status: number
  readonly body: string
}

/** Facts of the incident that the page shows. Times are ISO 8601. */
interface AckSubject {
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: string
  readonly created_at: string
  readonly acked_at: string | null
  readonly acked_by: string | null
}

const STYLE = `
:root { color-scheme: light dark; font: 1.05rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 34rem; padding: 12vh 1.25rem 2rem; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: .2rem 0 .6rem; }
p, dl { margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { opacity: .7; }
dd { margin: 0; }
.word { font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; opacity: .7; }
label { display: block; margin: 1.5rem 0 .3rem; }
input, button { box-sizing: border-box; font: inherit; width: 100%; padding: .7rem; border-radius: .5rem; border: 1px solid #8888; }
button { margin-top: .8rem; border: 0; background: #1a6b3c; color: #fff; font-weight: 600; cursor: pointer; }
button.no { border: 1px solid #8888; background: none; color: inherit; }
ul { margin: 0 0 1rem; padding-left: 1.2rem; }
li { margin: .4rem 0; }
button:focus-visible, input:focus-visible { outline: 3px solid #6aa8ff; outline-offset: 2px; }
`
const styleHash = createHash('sha256').update(STYLE).digest('base64')

/** Headers of all these pages. */
export const ACK_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow',
} as const

/** Asks for a confirmation, because mail and chat programs open links by themselves. */
export function confirmPage(incident: AckSubject): AckPage {
  if (incident.acked_at !== null) return { status: 200, body: alreadyAcknowledgedPage(incident) }
  return {
    status: 200,
    body: page('Acknowledge this incident?', [facts(incident), formOf('<button>Acknowledge</button>')]),
  }
}

export function donePage(incident: AckSubject): AckPage {
  const message =
    'No further page is sent for it. If the on-call provider was paged already, it gets the acknowledgement.'
  return {
    status: 200,
    body: page(`Acknowledged by ${incident.acked_by ?? ''}`, [facts(incident), paragraph(message)]),
  }
}

export function reusedPage(incident: AckSubject): AckPage {
  return { status: 409, body: alreadyAcknowledgedPage(incident) }
}

export interface AnswerPage {
  readonly status?: number
  /** What was done; absent: a question. */
  readonly title?: string
  readonly buttons: readonly { readonly label: string; readonly token: string }[]
}

/** Shows an incident with what can be done about its problem. */
export function answerPage(incident: AckSubject, { status = 200, title, buttons }: AnswerPage): AckPage {
  const choices = buttons.map(
    ({ label, token }) => `<button name="token" value="${escaped(token)}">${escaped(label)}</button>`,
  )
  const form = buttons.length === 0 ? [] : [formOf(choices.join('\n'))]
  const heading = title ?? (buttons.length === 0 ? 'There is nothing left to do' : 'What is to be done?')
  const taken = incident.acked_by === null ? [] : [paragraph(`Acknowledged by ${incident.acked_by}.`)]
  return { status, body: page(heading, [facts(incident), ...taken, ...form]) }
}

const formOf = (buttons: string) => `<form method="post">
<label for="name">Your name, if you like</label>
<input id="name" name="name" maxlength="${MAX_NAME}" autocomplete="name">
${buttons}
</form>`

export function refusalPage(refusal: Exclude<LinkState, 'valid'> | 'unknown' | 'closed' | 'unsupported'): AckPage {
  const { status, title, message } = REFUSAL_PAGES[refusal]
  return { status, body: page(title, [paragraph(message)]) }
}

export function failurePage(): AckPage {
  const message =
    'The service does not answer at the moment. Please try again in a few seconds: doing it twice does no harm.'
  return { status: 503, body: page('Perhaps not acknowledged yet', [paragraph(message)]) }
}

const REFUSAL_PAGES = {
  forged: {
    status: 403,
    title: 'This link is not valid',
    message: 'It was changed on its way, or is not complete. Open the link of the message itself.',
  },
  expired: {
    status: 410,
    title: 'This link has expired',
    message: 'Links work for seven days. The incident can still be acknowledged in the dashboard.',
  },
  unknown: {
    status: 404,
    title: 'This incident is not known any more',
    message: 'It was removed with the oldest finished incidents. There is nothing left to acknowledge.',
  },
  closed: {
    status: 404,
    title: 'Links do not answer here',
    message: 'The configuration does not allow it any more. Use the buttons of the message, or the dashboard.',
  },
  unsupported: {
    status: 415,
    title: 'This cannot be read',
    message: 'Send the form as application/x-www-form-urlencoded, or without content.',
  },
} as const

function alreadyAcknowledgedPage(incident: AckSubject): string {
  const title = `Already acknowledged by ${incident.acked_by ?? ''}`
  return page(title, [`<p>${time(incident.acked_at ?? '')}. Nothing was changed.</p>`, facts(incident)])
}

function facts({ title, service, severity, status, created_at }: AckSubject): string {
  const rows: readonly (readonly [string, string])[] = [
    ['Incident', escaped(title)],
    ['Service', escaped(service)],
    ['Severity', escaped(severity)],
    ['State', escaped(status)],
    ['Since', time(created_at)],
  ]
  const shown = rows.filter(([, value]) => value !== '')
  return `<dl>\n${shown.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('\n')}\n</dl>`
}

export function page(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="word">Tocsin</p>
<h1>${escaped(title)}</h1>
${parts.join('\n')}
</main>
</body>
</html>
`
}

export const paragraph = (text: string) => `<p>${escaped(text)}</p>`
export const time = (iso: string) =>
  `<time datetime="${escaped(iso)}">${escaped(iso.replace('T', ' ').replace(/\..*$/, ' UTC'))}</time>`

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
