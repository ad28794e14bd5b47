import { Marked } from 'marked'
import type { ComponentChildren } from 'preact'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import { Time } from '../ui/time.tsx'
import { withEmoji } from './emoji.tsx'
import { Html } from './html.tsx'
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
