import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '../../src/domain/errors.ts'
import type { Journal } from '../../src/journal/contract.ts'
import { randomFrom } from '../harness/random.ts'
import type { Disk } from '../journal/disk.ts'
import { bodiesOn, frameOf, inBackground, newBody, newJournal, openOn } from '../journal/support.ts'

const SEEDS = Number(process.env.JOURNAL_SEEDS ?? 60)

/** Code of the calls that come after a crash. */
const CUT = 'the process ends here'

test('after a power cut at any call, with any part of the unsynced writes, all that was answered is there once', () => {
  const random = randomFrom(1)
  const { disk, journal } = newJournal()
  const bodies: string[] = []
  const cuts: { disk: Disk; answered: number; sent: number }[] = []
  disk.before = () => {
    const answered = journal.nextNumber - 1
    for (const choose of [() => false, () => random() < 0.7])
      cuts.push({ disk: disk.afterPowerCut(choose), answered, sent: bodies.length })
    return undefined
  }
  for (let group = 0; group < 30; group++) {
    const frames = Array.from({ length: 1 + Math.floor(random() * 4) }, () => [newBody(random() * 1_500)])
    bodies.push(...frames.flat())
    journal.append(frames.map((each) => frameOf(each)))
  }
  assert.ok(cuts.length > 300)
  for (const { disk: cut, answered, sent } of cuts) {
    const { journal: again, damage } = openOn(cut)
    const last = again.nextNumber - 1
    assert.ok(last >= answered && last <= sent, `${last} of ${answered} answered and ${sent} sent`)
    assert.deepEqual([...bodiesOn(cut, 0, last).values()], bodies.slice(0, last))
    assert.deepEqual(damage, [])
  }
})

/** Bodies that must be in the journal, and those that may be. */
class Expected {
  /** Bodies by number. */
  readonly committed = new Map<number, string>()
  /** Bodies without an answer, or refused, whose numbers were not given to others since. */
  readonly #maybe = new Map<number, Set<string>>()
  released = 0
  last = 0

  answered(first: number, bodies: readonly string[]): void {
    for (const number of this.#maybe.keys()) if (number >= first) this.#maybe.delete(number)
    bodies.forEach((body, at) => {
      this.committed.set(first + at, body)
    })
    this.last = first + bodies.length - 1
  }

  unanswered(first: number, bodies: readonly string[]): void {
    bodies.forEach((body, at) => {
      const before = this.#maybe.get(first + at) ?? new Set()
      this.#maybe.set(first + at, before.add(body))
    })
  }

  /** Compares with what a journal holds that was opened anew; that counts from now on. */
  recovered(found: ReadonlyMap<number, string>, last: number): void {
    assert.ok(last >= this.last, `the journal ends at ${last}, and ${this.last} was answered`)
    for (let number = this.released + 1; number <= last; number++) {
      const body = found.get(number)
      assert.ok(body !== undefined, `${number} is missing`)
      if (number <= this.last) assert.equal(body, this.committed.get(number), `number ${number}`)
      else assert.ok(this.#maybe.get(number)?.has(body), `${number} was refused, and its number given again`)
      this.committed.set(number, body)
    }
    this.#maybe.clear()
    this.last = last
  }
}

/** One journal through crashes and failures of its disk, decided by a seed. */
class Campaign {
  readonly #random: () => number
  readonly #expected = new Expected()
  #disk: Disk
  #journal: Journal

  constructor(seed: number) {
    this.#random = randomFrom(seed)
    const { disk, journal } = newJournal()
    this.#disk = disk
    this.#journal = journal
  }

  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      const chance = this.#random()
      if (chance < 0.6) this.#append()
      else if (chance < 0.7) this.#release()
      else if (chance < 0.8) this.#failingAppend()
      else if (chance < 0.9) this.#crashInAppend()
      else if (chance < 0.95) this.#open(this.#crashed())
      else await inBackground()
    }
    this.#open(this.#crashed())
  }

  #append(): void {
    const groups = this.#bodies()
    const first = this.#journal.nextNumber
    this.#journal.append(groups.map((bodies) => frameOf(bodies)))
    this.#expected.answered(first, groups.flat())
  }

  #release(): void {
    const { released, last } = this.#expected
    this.#expected.released = released + Math.floor(this.#random() * (last - released + 1))
    this.#journal.release(this.#expected.released)
  }

  /** A call fails, and perhaps others after it; then the disk works again. */
  #failingAppend(): void {
    const code = this.#random() < 0.5 ? 'EIO' : 'ENOSPC'
    let calls = Math.floor(this.#random() * 12)
    const often = this.#random() < 0.3
    this.#disk.choose = () => this.#random() < 0.5
    this.#disk.before = (call) => {
      if (call === 'close') return undefined
      calls--
      return calls === 0 || (often && calls < 0 && this.#random() < 0.3) ? code : undefined
    }
    const groups = this.#bodies()
    const first = this.#journal.nextNumber
    try {
      this.#journal.append(groups.map((bodies) => frameOf(bodies)))
      this.#expected.answered(first, groups.flat())
    } catch (error) {
      assert.ok(error instanceof CodedError, String(error))
      assert.equal(this.#journal.nextNumber, first)
      this.#expected.unanswered(first, groups.flat())
    }
    this.#disk.before = () => undefined
  }

  #crashInAppend(): void {
    let calls = Math.floor(this.#random() * 10)
    let crashed: Disk | undefined
    this.#disk.before = () => {
      if (--calls === 0) crashed = this.#crashed()
      return calls <= 0 ? CUT : undefined
    }
    const groups = this.#bodies()
    const first = this.#journal.nextNumber
    try {
      this.#journal.append(groups.map((bodies) => frameOf(bodies)))
      this.#expected.answered(first, groups.flat())
    } catch {
      this.#expected.unanswered(first, groups.flat())
    }
    this.#disk.before = () => undefined
    this.#open(crashed ?? this.#crashed())
  }

  #crashed(): Disk {
    const share = this.#random()
    return this.#random() < 0.5 ? this.#disk.afterKill() : this.#disk.afterPowerCut(() => this.#random() < share)
  }

  #open(disk: Disk): void {
    this.#disk = disk
    const { journal, damage } = openOn(disk, this.#expected.released)
    assert.deepEqual(damage, [])
    this.#journal = journal
    const last = journal.nextNumber - 1
    this.#expected.recovered(bodiesOn(disk, this.#expected.released, last), last)
  }

  #bodies(): string[][] {
    const some = (most: number) => 1 + Math.floor(this.#random() * most)
    const largest = this.#random() < 0.1 ? 6_000 : 600
    return Array.from({ length: some(4) }, () =>
      Array.from({ length: some(3) }, () => newBody(this.#random() * largest)),
    )
  }
}

test('nothing answered is lost and nothing refused comes back, through crashes and failures of the disk', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      await new Campaign(seed).run(40)
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
  }
})
