import { hashOf, TITLE_WORDS, WORDS } from './words.ts'

/** Shares of the score, and the smallest score that counts; `npm run bench -- retrieval` measures them. */
const SHARES = { title: 0.6, labels: 0.25, service: 0.15 }
const ENOUGH = 0.45
/** Bits of a mask stand for words of the question: 0 to 15 for those of the title, then label pairs. */
const TITLE_MASK = (1 << TITLE_WORDS) - 1

/** An opening without its number. */
export interface Opened {
  /** Above 0. */
  readonly problem: number
  /** '': none. */
  readonly service: string
  /** By `wordsOf`. */
  readonly words: Uint32Array
}

/** Openings by slot. */
interface Columns {
  /** 0: the opening was removed. */
  readonly problems: Float64Array
  /** Numbers by `serviceOf`. */
  readonly services: Uint32Array
  /** 24 for each opening; 0 after its last. */
  readonly words: Uint32Array
}

/** Returns a service as a number; '', which is none, as 0. */
export const serviceOf = (name: string): number => (name === '' ? 0 : hashOf(name) | 1) >>> 0
const isPair = (word: number) => (word & 1) === 1

/** Compares an opening with those of other problems. */
export function openQuestion({ problem, service, words: asked }: Opened) {
  const titleWords = asked.filter((word) => !isPair(word)).length
  /** By bit; 0: none. */
  const byBit = new Uint32Array(WORDS)
  byBit.set(asked.subarray(0, titleWords))
  byBit.set(asked.subarray(titleWords), TITLE_WORDS)
  /** For the lowest 16 bits of a word: the bit of the last word that has them, + 1; 0: none. */
  const places = new Uint8Array(0x10000)
  byBit.forEach((word, bit) => {
    if (word !== 0) places[word & 0xffff] = bit + 1
  })
  /** Openings of other problems: all, and those that have a word. */
  let others = 0
  const having = new Uint32Array(WORDS)

  return {
    /** Returns the words that an opening has in common, as a mask, and counts them; 0 for one of the same problem. */
    match({ problems, words }: Columns, slot: number): number {
      if (problems[slot] === 0 || problems[slot] === problem) return 0
      others++
      let mask = 0
      for (let at = slot * WORDS; at < (slot + 1) * WORDS && words[at] !== 0; at++) {
        const word = words[at] ?? 0
        const place = places[word & 0xffff] ?? 0
        if (place === 0) continue
        const bit = byBit[place - 1] === word ? place - 1 : byBit.indexOf(word)
        if (bit < 0) continue
        mask |= 1 << bit
        having[bit] = (having[bit] ?? 0) + 1
      }
      return mask
    },
    /**
     * Returns the function that gives the score of an opening, 0 to 1; 0: not enough. All openings must have been matched.
     * A word weighs ln(1 + n / (1 + m)) where m of n openings have it. A label pair that no other problem has is left out;
     * a word that only the other title has weighs as the words of this title do on average.
     */
    scoring(): (columns: Columns, slot: number, mask: number) => number {
      const weights = Float64Array.from(having, (count, bit) =>
        byBit[bit] === 0 || (bit >= TITLE_WORDS && count === 0) ? 0 : Math.log(1 + others / (1 + count)),
      )
      const sum = (from: number, to: number) => weights.subarray(from, to).reduce((all, weight) => all + weight, 0)
      const [title, pairs, number] = [sum(0, TITLE_WORDS), sum(TITLE_WORDS, WORDS), serviceOf(service)]
      return ({ services, words }, slot, mask) => {
        // The other parts together are not enough.
        if (titleWords > 0 && (mask & TITLE_MASK) === 0) return 0
        let [titleIn, pairsIn, ownTitle, ownPairs] = [0, 0, 0, 0]
        for (let at = slot * WORDS; at < (slot + 1) * WORDS && words[at] !== 0; at++)
          if (isPair(words[at] ?? 0)) ownPairs++
          else ownTitle++
        for (let bit = 0; bit < WORDS; bit++) {
          if (((mask >> bit) & 1) === 0) continue
          if (bit < TITLE_WORDS) [titleIn, ownTitle] = [titleIn + (weights[bit] ?? 0), ownTitle - 1]
          else pairsIn += weights[bit] ?? 0
        }
        const ofTitle = titleWords + ownTitle > 0 ? SHARES.title : 0
        const ofPairs = pairs + ownPairs > 0 ? SHARES.labels : 0
        const ofService = number + (services[slot] ?? 0) > 0 ? SHARES.service : 0
        const score =
          (ofTitle * titleIn) / (title + (ownTitle * title) / (titleWords || 1) || 1) +
          (ofPairs * pairsIn) / (pairs || 1) +
          ofService * Number(number === services[slot])
        const scaled = score / (ofTitle + ofPairs + ofService)
        return scaled >= ENOUGH ? scaled : 0
      }
    },
  }
}
