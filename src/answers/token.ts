import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { AnswerAction, AnswerOrder, AnswerSubject } from '../domain/answer.ts'

/** A topic whose phones may press until a time. */
export interface PhoneTopic {
  /** Name of the destination; '': the default one. */
  readonly topic: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** Orders of an authentic token. */
interface ReadToken {
  readonly order: AnswerOrder
  /** Absent: the token is for chats. */
  readonly phone?: PhoneTopic
}

const KEY_BYTES = 32
const MAC_BYTES = 16

const LETTERS = {
  acknowledge: 'a',
  resolve: 'r',
  silence: 's',
  silence_until_resolved: 'u',
  end_silence: 'e',
  acknowledge_all: 'A',
  test: 't',
} satisfies { readonly [action in AnswerAction]: string }
const ACTIONS = new Map(Object.entries(LETTERS).map(([action, letter]) => [letter, action as AnswerAction]))

const TOKEN =
  /^(1([aruetA]|s(?=\d))(\d{1,5})?\.(?:i([\w-]{22})|d(\d{1,15})\.(\d{1,10}))(?:\.(\d{1,15})\.([\w-]{0,90}))?)\.([\w-]{22})$/

/** Returns the key of the tokens. No acknowledge link is a token, nor the reverse, although both follow from one secret. */
export const answerKey = (ackKey: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', ackKey, '', 'answer 1', KEY_BYTES))

/** Returns what a button carries, at most 56 bytes of ASCII, more for a phone. Only those for phones expire. */
export function tokenOf(key: Uint8Array, { action, minutes, subject }: AnswerOrder, phone?: PhoneTopic): string {
  const parts = [`1${LETTERS[action]}${minutes ?? ''}`, subjectText(subject)]
  if (phone) parts.push(String(phone.expiresAt), Buffer.from(phone.topic).toString('base64url'))
  const text = parts.join('.')
  return `${text}.${macOf(key, text)}`
}

/** Returns the order of a token; undefined: it is forged or none. The caller checks the expiry of a phone. */
export function readToken(key: Uint8Array, token: string): ReadToken | undefined {
  const [, text = '', letter = '', minutes, incident, digest, revision, expiresAt, topic = '', mac = ''] =
    TOKEN.exec(token) ?? []
  const action = ACTIONS.get(letter)
  if (action === undefined || !timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(key, text)))) return undefined
  const subject: AnswerSubject =
    incident === undefined
      ? { kind: 'digest', number: Number(digest), revision: Number(revision) }
      : { kind: 'incident', id: uuidOf(incident) }
  return {
    order: { action, subject, ...(minutes !== undefined && { minutes: Number(minutes) }) },
    ...(expiresAt !== undefined && {
      phone: { topic: Buffer.from(topic, 'base64url').toString(), expiresAt: Number(expiresAt) },
    }),
  }
}

const subjectText = (subject: AnswerSubject): string =>
  subject.kind === 'digest'
    ? `d${subject.number}.${subject.revision}`
    : `i${Buffer.from(subject.id.replaceAll('-', ''), 'hex').toString('base64url')}`

const uuidOf = (text: string): string =>
  Buffer.from(text, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

const macOf = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES).toString('base64url')
