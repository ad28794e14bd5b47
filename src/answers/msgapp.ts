import { z } from 'zod'
import type { Press } from './press.ts'

/** A press of a button of Telegram, and the query that its answer names. */
interface ReadPress {
  readonly press: Press
  readonly queryId: string
  readonly isTest: boolean
}

const name = z.string().default('')
const UPDATE = z.object({
  callback_query: z.object({
    id: z.string().regex(/^[\w-]{1,64}$/),
    from: z.object({ id: z.int().positive(), is_bot: z.literal(false), first_name: name, last_name: name }),
    message: z.object({ message_id: z.int().positive(), chat: z.object({ id: z.int(), type: z.string() }) }),
    /** Marks messages that people send through a bot, in any chat. */
    inline_message_id: z.never().optional(),
    data: z.string().max(100),
  }),
})

/** Reads an update for the bot; undefined: it is no press of a person in a chat. Clients may send any data. */
export function readUpdate(update: unknown, bot: number): ReadPress | undefined {
  const query = UPDATE.safeParse(update).data?.callback_query
  if (query === undefined) return undefined
  const { id, from, message, data } = query
  return {
    press: {
      token: data,
      key: `msgapp ${bot} ${id}`,
      actor: { id: String(from.id), name: `${from.first_name} ${from.last_name}`.trim() },
      // A group that moved has its new id here.
      place: String(message.chat.id),
      isDirect: message.chat.type === 'private',
      messageId: String(message.message_id),
    },
    queryId: id,
    isTest: data.startsWith('1t.'),
  }
}
