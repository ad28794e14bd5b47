import { LRUCache } from 'lru-cache'
import type { Press } from '../../../src/answers/press.ts'
import { sentenceOf } from '../../../src/answers/sentences.ts'
import { answerKey, readToken } from '../../../src/answers/token.ts'
import { answersModeOf, targetsOf } from '../../../src/channels/index.ts'
import type { Answer, Answered, AnswerResult } from '../../../src/domain/answer.ts'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { unlistedName } from '../../../src/oncall/person.ts'
import { openTokenBucket, type Rate } from '../../../src/telemetry/rate-limit.ts'
import type { Ask } from '../../messages/query.ts'
import type { StorageQueries } from '../../messages/storage-queries.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import type { Doors } from '../doors/index.ts'
import type { AnswerCounts } from './counts.ts'
import type { Pressed } from './receiver.ts'

export interface PressDeps {
  readonly askStorage: Ask<StorageQueries>
  /** Returns the key that signs links; undefined: none exists yet, so no button is valid. */
  ackKey(): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /** The settings that run now. */
  settings(): SystemSettings
  readonly clock: Clock
  readonly counts: AnswerCounts
  readonly doors: Pick<Doors, 'personResolved'>
}

/** An answer whose person, place and right to act are known. */
type Submission = Omit<Answer, 'quietForMs' | 'maxMs'>

const UNDER_WAY = 64
/** Shorter than the 3 s that Slack waits. */
const STORED_WITHIN_MS = 2_500
const OF_ACTOR = { burst: 20, everyMs: 3_000 }
const OF_WAY = { burst: 30, everyMs: 100 }
const ACTORS = 4_096

/** Opens the checks of presses, and their way to storage. */
export function openPresses({ askStorage, ackKey, settings, clock, counts, doors }: PressDeps) {
  const rates = new LRUCache<string, () => number>({ max: ACTORS })
  let underWay = 0

  /** Derives it anew each time: the key may be another one since then. */
  async function key(): Promise<Uint8Array | undefined> {
    const found = await ackKey()
    return found && answerKey(found)
  }

  function mayPress(name: string, rate: Rate): boolean {
    const take = rates.get(name) ?? openTokenBucket(rate, clock)
    rates.set(name, take)
    return take() === 0
  }

  /** Names whose rate counts: the person, or the problem where a link or a shared topic names no person. */
  const actorKey = ({ via, actorId, subject }: Submission) =>
    `${via} ${actorId || (subject.kind === 'incident' ? subject.id : subject.number)}`

  async function store(answer: Submission): Promise<Answered> {
    const { quietForMs, maxMs } = settings().answers
    const asked = askStorage({ kind: 'answer', answer: { ...answer, quietForMs, maxMs } }, STORED_WITHIN_MS)
    const mute = () => muteAlert(answer).catch(() => undefined)
    // One that timed out may be committed all the same.
    if (answer.action === 'resolve') void asked.then(mute, mute)
    return asked
  }

  /** Its sender goes on to repeat an alert that a person resolved. */
  async function muteAlert({ subject }: Submission): Promise<void> {
    if (subject.kind !== 'incident') return
    const problem = await askStorage({ kind: 'namedProblem', name: { incident: subject.id } })
    if (problem?.state === 'resolved') doors.personResolved(problem.fingerprint)
  }

  /**
   * Stores an answer within 2.5 s. Undefined: it may not be stored, and the way must not confirm it. Never rejects.
   *
   * @param mayAct false: it is refused, and takes nothing of what the way may carry
   * @param waits true: what the way cannot carry now is asked for again
   */
  async function submit(answer: Submission, { mayAct = true, waits = false } = {}): Promise<Pressed | undefined> {
    const { via, action, actorId } = answer
    const result = (answered: Answered): Pressed => {
      counts.pressed(via, action, answered.result)
      const text = sentenceOf(answered, answer, actorId)
      return { result: answered.result, text, ...(answered.again && { again: true }) }
    }
    if (!mayPress(actorKey(answer), OF_ACTOR)) return result({ result: 'too_many' })
    if (!mayAct) return result({ result: 'not_allowed' })
    if (!mayPress(via, OF_WAY)) return waits ? undefined : result({ result: 'too_many' })
    const from = clock.elapsed()
    try {
      if (underWay >= UNDER_WAY) throw new Error('too many presses are under way')
      underWay++
      const answered = await store(answer).finally(() => underWay--)
      counts.stored(clock.elapsed() - from)
      return result(answered)
    } catch {
      counts.pressed(via, action, 'not_stored')
      return undefined
    }
  }

  /** Takes a press in a chat. As `ReceiverDeps.press`. */
  async function ofChat(channel: ChannelName, press: Press): Promise<Pressed | undefined> {
    let token: Uint8Array | undefined
    try {
      token = await key()
    } catch {
      counts.pressed(channel, undefined, 'not_stored')
      return undefined
    }
    const read = token && readToken(token, press.token)
    if (read === undefined || read.phone !== undefined) return refused(channel, 'forged', press)
    const { person, name } = actorOf(settings(), channel, press)
    const isListed = person !== undefined
    const settingsOf = settings().alert.channels[channel]
    const target = targetsOf(settingsOf)?.ids.get(press.place)
    const mustBeCopy = target === undefined
    const mayAct =
      // It changes nothing, and tells the id that makes the person one of the list.
      read.order.action === 'test' ||
      isListed ||
      (settings().answers.allow === 'everybody' && !press.actor.isGuest && !press.isDirect)
    const answer: Submission = {
      ...read.order,
      key: press.key,
      via: channel,
      ...(isListed && { person }),
      actor: name,
      actorId: press.actor.id,
      place: press.place,
      copy: { messageId: press.messageId, ...(target && { target }) },
      ...(mustBeCopy && { mustBeCopy }),
    }
    return submit(answer, { mayAct, waits: answersModeOf(settingsOf) === 'poll' })
  }

  function refused(channel: ChannelName, result: AnswerResult, { actor }: Press): Pressed {
    counts.pressed(channel, undefined, result)
    return { result, text: sentenceOf({ result }, undefined, actor.id) }
  }

  return { key, submit, ofChat }
}

export type Presses = ReturnType<typeof openPresses>

/** Returns who pressed: a person of the list, or the name of the provider with the id, so that nobody passes for a listed one. */
function actorOf({ people }: SystemSettings, channel: ChannelName, { actor }: Press) {
  for (const [person, { name, ids }] of people)
    if (Object.entries(ids).some(([at, id]) => at === channel && id === actor.id)) return { person, name }
  return { name: `${unlistedName(actor.name) ?? 'somebody'} (${channel} ${actor.id})` }
}
