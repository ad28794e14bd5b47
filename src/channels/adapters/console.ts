import type { Message } from '../../domain/delivery/message.ts'
import { unknownTarget } from '../../outbound/provider-client.ts'
import { isoTime } from '../../text/iso-time.ts'
import { visible } from '../../text/visible.ts'
import type { Adapter } from '../channel.ts'
import type { ConsoleOptions } from '../kinds/console.ts'

const WIDTH = 100

/** Prints messages in a frame on standard output. It is enabled when no other channel is. */
export const console: Adapter<ConsoleOptions> = {
  create(_options, { print }) {
    return {
      destination: () => 'default',
      async send(message) {
        if (message.target !== undefined) return unknownTarget(message.target)
        print(framed(message))
        return { kind: 'sent' }
      },
    }
  },
}

function framed({ title, status, severity, service, text, incidentId, createdAt }: Message): string {
  const facts = [status.toUpperCase(), severity, service].filter((fact) => fact !== '').join(' · ')
  const lines = visible(text.replace(/\r\n?/g, '\n')).trimEnd().split('\n')
  return [
    rule(`┌─ ${facts} `),
    `│ ${visible(title)}`,
    '│',
    ...lines.map((each) => `│ ${each}`.trimEnd()),
    rule(`└─ ${isoTime(createdAt)} ${incidentId} `),
    '',
  ].join('\n')
}

const rule = (start: string) => `${visible(start)}${'─'.repeat(Math.max(2, WIDTH - start.length))}`
