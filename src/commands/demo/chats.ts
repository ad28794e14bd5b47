import { withoutTags } from '../../channels/body/html-to-text.ts'
import { afterEdits, type ShownMessage, startChatPage } from '../../simulator/chat-page.ts'
import type { Received } from '../../simulator/index.ts'
import { HTTP_KINDS } from '../../simulator/kinds.ts'
import { openSlackApp } from '../../simulator/slack-app.ts'
import { alertFor, type Providers } from '../simulate.ts'
import { sectionOf } from './storm.ts'

const IDS = { chatws: 'U0ADAL', msgapp: '123456789' }

/** Sections of the demo: people answer from messages of two channels. */
export function answeringConfig(providers: Providers) {
  const alert = alertFor(providers)
  return {
    people: { ada: { name: 'Ada Lovelace', ids: IDS } },
    alert: {
      ...alert,
      chatws: { ...alert.chatws, answers: { mode: 'socket', app_token: 'xapp-simulated' } },
      msgapp: { ...alert.msgapp, answers: { mode: 'poll' } },
    },
  }
}

/** Serves a page with the chats of both channels, where a button is pressed as Ada would. */
export async function openChats({ chatws, msgapp }: Providers) {
  const slack = openSlackApp(() => `ws://127.0.0.1:${page.port}/link`)
  const ada = { id: IDS.chatws, username: 'ada.l' }
  const page = await startChatPage({
    socket: slack.socket,
    chats: {
      chatws: {
        messages: () => afterEdits(chatws.taken, HTTP_KINDS.chatws.editing).map(slackMessage),
        said: () => slack.said,
        press: (message, token) => slack.press({ user: ada, channel: 'C0SIMULATED', message, token }),
      },
      msgapp: {
        messages: () => afterEdits(msgapp.taken, HTTP_KINDS.msgapp.editing).map(telegramMessage),
        said: () => msgapp.bot?.said.map(({ text = '' }) => text) ?? [],
        press: (message, token) => {
          msgapp.bot?.press(message, token, { id: Number(IDS.msgapp), first_name: 'Ada' })
          return true
        },
      },
    },
  })
  return { ...page, answer: slack.answer, isMessage }
}
export type Chats = Awaited<ReturnType<typeof openChats>>

/** Tells messages and their edits from other requests to both stand-ins. */
const isMessage = ({ path }: Received) => !/^\/(?:api|bot[^/]+)\//.test(path) || /(?:Message|chat\.update)/.test(path)

interface SlackBlock {
  readonly block_id?: string
  readonly elements?: readonly { readonly text: { readonly text: string }; readonly value: string }[]
}

function slackMessage(request: Received): ShownMessage {
  const { attachments, thread_ts } = request.json as {
    attachments: { blocks: SlackBlock[] }[]
    thread_ts?: string
  }
  const rows = attachments.flatMap(({ blocks }) => blocks.filter(({ block_id }) => block_id === 'tocsin'))
  const buttons = rows.flatMap(({ elements = [] }) => elements)
  return {
    text: withoutTags(sectionOf(request).replace(/<[^|<>]*\|([^<>]*)>/g, '$1')),
    isReply: thread_ts !== undefined,
    buttons: buttons.map(({ text, value }) => ({ label: text.text, token: value })),
  }
}

function telegramMessage({ json }: Received): ShownMessage {
  const { text, reply_markup, reply_parameters } = json as {
    text: string
    reply_markup?: { inline_keyboard: { text: string; callback_data: string }[][] }
    reply_parameters?: object
  }
  const buttons = reply_markup?.inline_keyboard.flat() ?? []
  return {
    text: withoutTags(text),
    isReply: reply_parameters !== undefined,
    buttons: buttons.map(({ text, callback_data }) => ({ label: text, token: callback_data })),
  }
}
