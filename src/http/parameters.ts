import { addressForm, idTarget, type KnownTargets } from '../domain/delivery/delivery.ts'
import { CodedError } from '../domain/errors.ts'
import type { Overrides } from '../domain/incident.ts'
import { visibleJson } from '../text/visible.ts'
import { mainParameter, type Parameter, parameterOf } from './parameter-names.ts'

/** Choices that the query parameters of POST /api/incidents have. Plain data that crosses threads. */
export interface ParameterSettings {
  /** Other destinations by channel and on-call provider. */
  readonly targets: { readonly [owner: string]: OwnTargets }
  /** The on-call provider that pages, or `escalations`; absent: none is configured. */
  readonly pager?: string
  /** A parameter without effect refuses the request. */
  readonly strict: boolean
}

interface OwnTargets extends KnownTargets {
  /** Messages or pages go there. */
  readonly enabled: boolean
}

/** Reads the overrides of a query; undefined: it has none. Throws `bad_parameter` when parameters are strict. */
export type ReadOverrides = (query: string) => Overrides | undefined

const MAX_WAIT_MINUTES = 7 * 24 * 60
const MAX_SHOWN = 100
const MAX_LISTED = 200
/** Ids that are not configured, of one channel, until the settings change: each has a queue and a rate limit. */
const MAX_FOREIGN_IDS = 256
const MAX_WARNINGS = 8

/** A parameter that has no effect. `advice` says what the sender can write instead. */
class NoEffect extends Error {
  readonly advice: string
  /** Text of the warning, which is bounded, stored and logged. */
  readonly warning: string
  constructor(message: string, advice: string, warning = message) {
    super(message)
    this.advice = advice
    this.warning = warning
  }
}

/** @param shown the names that a warning may contain */
function unknownName(message: string, names: readonly string[], shown = names): NoEffect {
  if (names.length === 0) return new NoEffect(message, 'none is configured', `${message} (none is configured)`)
  const warning = shown.length === 0 ? message : `${message} (known: ${listOf(shown)})`
  return new NoEffect(message, `known: ${names.join(', ')}`, warning)
}

/** Lists as many names as fit 200 characters, and counts the others. */
function listOf(names: readonly string[]): string {
  const fitting = names.findIndex((_, at) => names.slice(0, at + 1).join(', ').length > MAX_LISTED)
  if (fitting < 0) return names.join(', ')
  return [...names.slice(0, fitting), `${names.length - fitting} more`].join(', ')
}

type Draft = { -readonly [K in keyof Overrides]: Overrides[K] }

/**
 * Opens the reading of overrides. A parameter that is wrong, or names what is not configured, has no effect: the incident
 * goes where it goes without it, with a warning. Parameters of other programs and empty ones are ignored.
 */
export function openOverrides({ targets, pager, strict }: ParameterSettings): ReadOverrides {
  const owners = new Map(Object.entries(targets))
  const foreign = new Map<string, Set<string>>()

  function targetOf(owner: string, parameter: string, value: string): string | null {
    const known = owners.get(owner)
    const names = known?.names ?? []
    if (names.includes(value)) return value
    for (const form of known === undefined ? [] : [value, idForm(value), addressForm(value)]) {
      const found = known?.ids.get(form)
      if (form !== '' && found !== undefined) return found
    }
    const id = idForm(value)
    if (known?.accepts?.test(id)) return foreignTarget(owner, parameter, id)
    const message = `${parameter}: ${shownTarget(owner, value)} is not configured, so the default applies`
    const isAddress = (name: string) => known?.ids.has(name) || known?.ids.has(addressForm(name))
    throw unknownName(
      message,
      names,
      names.filter((name) => !isAddress(name)),
    )
  }

  function foreignTarget(owner: string, parameter: string, id: string): string {
    const seen = foreign.get(owner) ?? new Set()
    if (!seen.has(id) && seen.size >= MAX_FOREIGN_IDS) {
      const full = `more than ${MAX_FOREIGN_IDS} ids were named since the start, so the default applies`
      throw new NoEffect(`${parameter}: ${full}`, 'configure the ids')
    }
    foreign.set(owner, seen.add(id))
    return idTarget(id)
  }

  function take(parameter: Parameter, name: string, value: string, draft: Draft): void {
    switch (parameter.kind) {
      case 'oncall_enable':
        draft.oncallEnable = booleanOf(name, value)
        return
      case 'oncall_wait_minutes':
        draft.oncallWaitMinutes = minutesOf(name, value)
        return
      case 'destination': {
        const { owner } = parameter
        const target = targetOf(owner, name, value)
        const earlier = draft.targets?.[owner]
        if (earlier !== undefined && earlier !== target)
          throw new NoEffect(`${name} contradicts an earlier parameter, so it has no effect`, 'give one of them')
        if (owner !== 'pagerduty') draft.targets = { ...draft.targets, [owner]: target }
        else if (target !== null) draft.pagerdutyRoutingKey = target
        return
      }
      case 'unknown':
        throw unknownName(
          `${shown(name)} is not a known parameter, so it has no effect`,
          [...owners.keys()].map(mainParameter),
        )
      default:
        return parameter satisfies never
    }
  }

  /** Returns why a valid parameter changes nothing; undefined when it does. */
  function idle(parameter: Parameter, name: string, { oncallEnable }: Draft): string | undefined {
    if (parameter.kind === 'oncall_enable' && oncallEnable && pager === undefined)
      return `${name}: no on-call provider is configured, so nobody is paged`
    if (parameter.kind !== 'destination' || owners.get(parameter.owner)?.enabled !== false) return undefined
    return `${name}: ${parameter.owner} is not in use, so it has no effect`
  }

  return (query) => {
    const given = new URLSearchParams(query)
    const draft: Draft = {}
    const warnings: string[] = []
    for (const name of new Set(given.keys())) {
      const parameter = parameterOf(name)
      const [value = '', ...more] = given.getAll(name)
      if (parameter === undefined || (value === '' && more.length === 0)) continue
      try {
        if (more.length > 0)
          throw new NoEffect(`${shown(name)} is given more than once, so it has no effect`, 'give one')
        take(parameter, name, value, draft)
        const warning = idle(parameter, name, draft)
        if (warning !== undefined) warnings.push(warning)
      } catch (error) {
        if (!(error instanceof NoEffect)) throw error
        if (strict) throw new CodedError('bad_parameter', `${error.message}; ${error.advice}`)
        warnings.push(error.warning)
      }
    }
    if (warnings.length > 0) draft.warnings = warnings.slice(0, MAX_WARNINGS)
    return Object.keys(draft).length > 0 ? draft : undefined
  }
}

/** Returns an id as it was before the query was decoded: no id holds a blank, and some hold a plus sign. */
const idForm = (value: string) => value.replaceAll(' ', '+')

const TRUE = new Set(['true', '1', 'yes', 'on'])
const FALSE = new Set(['false', '0', 'no', 'off'])
function booleanOf(parameter: string, value: string): boolean {
  const word = value.toLowerCase()
  if (TRUE.has(word) || FALSE.has(word)) return TRUE.has(word)
  throw new NoEffect(
    `${parameter}: ${shown(value)} is neither true nor false, so it has no effect`,
    'write true or false',
  )
}

function minutesOf(parameter: string, value: string): number {
  const minutes = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  if (minutes <= MAX_WAIT_MINUTES) return minutes
  const wrong = `${shown(value)} is not a number of minutes from 0 to ${MAX_WAIT_MINUTES}`
  throw new NoEffect(`${parameter}: ${wrong}, so it has no effect`, 'write a number such as 5')
}

/** Owners whose destinations are addresses with secrets, or keys. */
const SECRET = new Set(['officechat', 'workchat', 'ntfy', 'pagerduty'])
const LONGEST_NAME = 20

/** Hides values that may be a secret instead of a name: warnings are kept and logged. */
function shownTarget(owner: string, value: string): string {
  const isName = /^[\w.@-]*$/.test(value) && value.length <= LONGEST_NAME
  return SECRET.has(owner) && !isName ? 'the value' : shown(value)
}

/** Quotes a value of the client as JSON without control characters, at most 100 characters of it. */
const shown = (text: string) =>
  visibleJson(JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text))
