import { hashOf, TITLE_WORDS, WORDS } from './words.ts'

/** Shares of the score, and the smallest score that counts; `npm run bench -- retrieval` measures them. */
const SHARES = { title: 0.6, labels: 0.25, service: 0.15 }
const ENOUGH = 0.45
/** Places of the table that finds a word of the question; a power of two. */
const PLACES = 1_024

/** Openings by slot. */
export interface Columns {
  readonly ids: Float64Array
  /** 0: the opening was removed. */
  readonly problems: Float64Array
  /** By `serviceOf`. */
  readonly services: Uint32Array
  /** 24 for each opening; 0 after its last. */
  readonly words: Uint32Array
}

/** Returns a service as a number; '', which is none, as 0. */
export const serviceOf = (name: string): number => (name === '' ? 0 : hashOf(name) | 1) >>> 0

interface Asked {
  readonly problem: number
  readonly service: string
  readonly words: Uint32Array
}

/** Compares an opening with others. Bits of a mask stand for its words: 0 to 15 for those of the title, then label pairs. */
export function openQuestion({ problems, services, words }: Columns, asked: Asked) {
  const service = serviceOf(asked.service)
  /** Words by bit; 0: none. Open addressing by hash, with the bit + 1; 0: empty. */
  const byBit = new Uint32Array(WORDS)
  const places = new Uint8Array(PLACES)
  /** Openings of other problems: all, and those that have a word. */
  let others = 0
  const having = new Uint32Array(WORDS)
  let [titleWords, labelPairs] = [0, TITLE_WORDS]
  for (const word of asked.words.subarray(0, WORDS)) {
    const bit = (word & 1) === 1 ? labelPairs++ : titleWords++
    let place = placeOf(word)
    while (places[place] !== 0) place = (place + 1) % PLACES
    places[place] = bit + 1
    byBit[bit] = word
  }

  return {
    /** Returns the words that an opening has in common, as a mask, and counts them; 0 for one of the same problem. */
    match(slot: number): number {
      if (problems[slot] === 0 || problems[slot] === asked.problem) return 0
      others++
      let mask = 0
      for (let at = slot * WORDS; at < (slot + 1) * WORDS; at++) {
        const word = words[at] ?? 0
        if (word === 0) break
        for (let place = placeOf(word); places[place] !== 0; place = (place + 1) % PLACES) {
          const bit = (places[place] ?? 0) - 1
          if (byBit[bit] !== word) continue
          mask |= 1 << bit
          having[bit] = (having[bit] ?? 0) + 1
        }
      }
      return mask
    },
    /**
     * Returns the function that gives the score of an opening, 0 to 1; 0: not enough. All openings must have been matched.
     * A word weighs ln(1 + n / (1 + m)) where m of n openings have it. A label pair that no other problem has is left out;
     * a word that only the other title has weighs as the words of this title do on average.
     */
    scoring(): (slot: number, mask: number) => number {
      const weights = Float64Array.from(having, (count, bit) =>
        byBit[bit] === 0 || (bit >= TITLE_WORDS && count === 0) ? 0 : Math.log(1 + others / (1 + count)),
      )
      const sum = (mask: number) => weights.reduce((all, weight, bit) => all + ((mask >> bit) & 1) * weight, 0)
      const [title, labels] = [sum(TITLE_MASK), sum(~TITLE_MASK)]
      return (slot, mask) => {
        const [own, ownPairs] = sizesOf(words, slot)
        const extra = own - bitsOf(mask & TITLE_MASK)
        const allWords = title + (extra * title) / (titleWords || 1)
        const ofTitle = titleWords + own > 0 ? SHARES.title : 0
        const ofLabels = labels + ownPairs > 0 ? SHARES.labels : 0
        const ofService = service + (services[slot] ?? 0) > 0 ? SHARES.service : 0
        const score =
          (ofTitle * sum(mask & TITLE_MASK)) / (allWords || 1) +
          (ofLabels * sum(mask & ~TITLE_MASK)) / (labels || 1) +
          ofService * Number(service === services[slot])
        const scaled = score / (ofTitle + ofLabels + ofService)
        return scaled >= ENOUGH ? scaled : 0
      }
    },
  }
}

const TITLE_MASK = (1 << TITLE_WORDS) - 1
const placeOf = (word: number) => (word >>> 1) % PLACES

function bitsOf(mask: number): number {
  let bits = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) bits++
  return bits
}

/** Returns how many words of the title, and how many label pairs, an opening has. */
function sizesOf(words: Uint32Array, slot: number): [titleWords: number, labelPairs: number] {
  let [all, pairs] = [0, 0]
  for (; all < WORDS && words[slot * WORDS + all] !== 0; all++) pairs += (words[slot * WORDS + all] ?? 0) & 1
  return [all - pairs, pairs]
}
