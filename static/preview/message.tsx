import { Marked } from 'marked'
import { type ComponentChildren, h } from 'preact'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import { Time } from '../ui/time.tsx'
import { withEmoji } from './emoji.tsx'
import { mrkdwnToHtml } from './mrkdwn.ts'

interface MessageProps {
  readonly channel: ChannelName
  /** As it was sent to the channel. */
  readonly text: string
  readonly subject?: string | undefined
  readonly title: string
  readonly status: string
  /** ISO 8601. */
  readonly at: string
  /** Shows the button to acknowledge that the channel `chatws` adds. */
  readonly acknowledgeable?: boolean
}

const markdown = new Marked({ gfm: true, breaks: true, async: false })

/** A message approximately as the channel's program shows it. */
export function Message(props: MessageProps) {
  return <div class={`look look-${props.channel} look-${props.status}`}>{framed(props)}</div>
}

function framed({ channel, text, subject, title, at, acknowledgeable }: MessageProps): ComponentChildren {
  switch (channel) {
    case 'chatws':
      return (
        <>
          <Sender at={at} />
          <div class="look-attachment">
            <Html text={mrkdwnToHtml(text)} />
            {acknowledgeable && <p class="look-button">Acknowledge</p>}
          </div>
        </>
      )
    case 'msgapp':
      return (
        <Bubble at={at}>
          <Html text={text.replaceAll('\n', '<br>')} />
        </Bubble>
      )
    case 'ntfy':
      return (
        <Bubble at={at}>
          <p class="look-subject">{withEmoji(subject ?? title)}</p>
          <Plain text={text} />
        </Bubble>
      )
    case 'messenger':
      return (
        <Bubble at={at}>
          <Plain text={text} />
        </Bubble>
      )
    case 'officechat':
      return <Html text={String(markdown.parse(text))} />
    case 'workchat':
      return (
        <>
          <p class="look-title">{withEmoji(title)}</p>
          <div class="look-body">
            <Html text={String(markdown.parse(text))} />
          </div>
        </>
      )
    case 'email':
      return <Mail subject={subject} text={text} />
    case 'console':
      return <pre>{withEmoji(text)}</pre>
    default:
      return channel satisfies never
  }
}

const Sender = ({ at }: { readonly at: string }) => (
  <p class="look-sender">
    <strong>Tocsin</strong> <span>App</span> <Time at={at} />
  </p>
)

const Bubble = ({ at, children }: { readonly at: string; readonly children: ComponentChildren }) => (
  <div class="look-bubble">
    {children}
    <p class="look-time">
      <Time at={at} />
    </p>
  </div>
)

const Plain = ({ text }: { readonly text: string }) => <p class="look-plain">{withEmoji(text)}</p>

/** A mail; its text counts as HTML when it has a tag that is usual in mails. */
function Mail({ subject, text }: { readonly subject: string | undefined; readonly text: string }) {
  const html = /<(html|body|p|div|table|br|b|h\d)\b/i.test(text)
  return (
    <>
      {subject !== undefined && <p class="look-subject">{withEmoji(subject)}</p>}
      <div class="look-body">{html ? <Html text={text} /> : <Plain text={text} />}</div>
    </>
  )
}

/** Elements that are kept; of all others only the children are. */
const ELEMENTS = new Set(
  `A ABBR B BLOCKQUOTE BR CAPTION CODE DD DEL DIV DL DT EM H1 H2 H3 H4 H5 H6 HR I INS LI OL P PRE S SMALL SPAN STRIKE STRONG SUB SUP
   TABLE TBODY TD TFOOT TH THEAD TR U UL`.split(/\s+/),
)
/** Elements that are dropped with their children. */
const DROPPED = new Set('SCRIPT STYLE TITLE HEAD TEMPLATE NOSCRIPT IFRAME OBJECT SVG MATH'.split(' '))
const PROPERTIES =
  /^(color|background|background-color|font-(size|weight|style|family)|line-height|letter-spacing|text-(align|decoration|transform)|white-space|vertical-align|padding(-\w+)?|margin(-\w+)?|border(-\w+)*|border-collapse|border-radius|width|max-width|height|display)$/
const LINK = /^(https?:|mailto:|tel:)/i
const MAX_DEPTH = 100

/** Untrusted HTML, rebuilt from its harmless elements and attributes. The text itself never enters the document. */
function Html({ text }: { readonly text: string }) {
  const parsed = new DOMParser().parseFromString(parseInert(text), 'text/html')
  return <>{childrenOf(parsed.body, 0)}</>
}

/** Renames styles and event attributes: parsing them would make the browser report violations of the page's CSP. */
const parseInert = (text: string) =>
  text
    .replace(/<(\/?)style\b/gi, '<$1template')
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/([\s"'/])(style|on\w+)(\s*=)/gi, '$1data-$2$3'))

function childrenOf(parent: Node, depth: number): ComponentChildren[] {
  return depth > MAX_DEPTH ? [] : Array.from(parent.childNodes, (node) => renderElement(node, depth))
}

function renderElement(node: Node, depth: number): ComponentChildren {
  if (node.nodeType === Node.TEXT_NODE) return withEmoji(node.textContent ?? '')
  if (!(node instanceof Element) || DROPPED.has(node.tagName.toUpperCase())) return null
  const children = childrenOf(node, depth + 1)
  if (!ELEMENTS.has(node.tagName)) return children
  return h(node.tagName.toLowerCase(), attributesOf(node), ...children)
}

function attributesOf(element: Element): { [name: string]: unknown } {
  const style = styleOf(element.getAttribute('data-style') ?? '')
  const span = Number(element.getAttribute('colspan') ?? 1)
  const target = element.getAttribute('href') ?? ''
  return {
    ...(style !== undefined && { style }),
    ...(span > 1 && { colSpan: span }),
    ...(element.tagName === 'A' && LINK.test(target) && { href: target, target: '_blank', rel: 'noopener noreferrer' }),
  }
}

function styleOf(text: string): { [property: string]: string } | undefined {
  const pairs = text.split(';').flatMap((each): [string, string][] => {
    const [name = '', ...rest] = each.split(':')
    const value = rest.join(':').trim()
    return PROPERTIES.test(name.trim()) && !/url\s*\(|expression/i.test(value) ? [[camel(name.trim()), value]] : []
  })
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}

const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
