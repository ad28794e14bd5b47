import { isTimeZone } from '../../../config/sections/routes.ts'
import { NOBODY } from '../../../policy/oncall/settings.ts'
import { plain } from '../receivers.ts'
import type { Tree } from './translated.ts'

/** A person, as a provider names one. */
interface TheirPerson {
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
  readonly email?: string | null | undefined
  readonly timeZone?: string | null | undefined
}

/** Returns the function that makes a key of a name, with a number when it is taken. */
export function createKeys(taken: readonly string[] = []): (name: string) => string {
  const used = new Set(taken)
  return (name) => {
    const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
    const key = letters.replace(/[^a-z0-9_]+/g, '-').replace(/^-+|-+$/g, '') || 'unnamed'
    let free = key.slice(0, 40)
    for (let nth = 2; used.has(free); nth++) free = `${key.slice(0, 36)}-${nth}`
    used.add(free)
    return free
  }
}

/** The people that schedules and escalations name; others of the export are not written. */
export class PeopleTaken {
  readonly tree: { [key: string]: Tree } = {}
  readonly #users: readonly TheirPerson[]
  readonly #keys = new Map<string, string>()
  readonly #newKey = createKeys([NOBODY])

  constructor(users: readonly TheirPerson[]) {
    this.#users = users
  }

  /** Returns the key of a person, by the id or else the address. */
  keyOf(named: TheirPerson): string {
    const same = (key: 'id' | 'email') => this.#users.find((user) => user[key] && user[key] === named[key])
    const { id, name, email, timeZone } = same('id') ?? same('email') ?? named
    const known = this.#keys.get(id || email || '')
    if (known !== undefined) return known
    const key = this.#newKey(email?.replace(/@.*/, '') || name || id || '')
    this.#keys.set(id || email || '', key)
    this.tree[key] = {
      ...(name && { name: name.replace(/[()[\]{}<>\p{Cc}\p{Cf}\u2028\u2029]/gu, '').slice(0, 80) }),
      ...(timeZone && isTimeZone(timeZone) && { time_zone: timeZone }),
      ...(email && { ways: [{ email: plain(email) }] }),
    }
    return key
  }
}
