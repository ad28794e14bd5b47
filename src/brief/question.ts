import { type Block, serviceOf } from './block.ts'
import { TITLE_WORDS, WORDS } from './words.ts'

/** Shares of the score, and the smallest that is enough. `npm run bench -- retrieval` compares others. */
export const SCORE = { title: 0.7, labels: 0.15, service: 0.15, enough: 0.75 }

/** An opening without its number. */
export interface Opened {
  /** Above 0. */
  readonly problem: number
  /** '': none. */
  readonly service: string
  /** By `wordsOf`. */
  readonly words: Uint32Array
}

const isPair = (word: number) => (word & 1) === 1

/** Compares an opening with those of other problems. */
export function openQuestion({ problem, service, words: asked }: Opened) {
  const titleWords = asked.filter((word) => !isPair(word)).length
  /** Places of words: 0 to 15 for those of the title, then label pairs. 0: no word. */
  const placed = new Uint32Array(WORDS)
  placed.set(asked.subarray(0, titleWords))
  placed.set(asked.subarray(titleWords), TITLE_WORDS)
  /** For the lowest 12 bits of a word: the place of the last word that has them, + 1; 0: none. */
  const places = new Uint8Array(0x1000)
  placed.forEach((word, place) => {
    if (word !== 0) places[word & 0xfff] = place + 1
  })
  /** Openings of other problems: all, and those that have a word. */
  let others = 0
  const having = new Uint32Array(WORDS)

  function placeOf(word: number): number {
    const place = (places[word & 0xfff] ?? 0) - 1
    return place < 0 || placed[place] === word ? place : placed.indexOf(word)
  }

  return {
    /** Counts the words of a block. Returns 1 for each opening with a word of the title: labels and service are not enough. */
    match({ problems, words, used }: Block): Uint8Array {
      const near = new Uint8Array(used)
      for (let slot = 0; slot < used; slot++) {
        if (problems[slot] === 0 || problems[slot] === problem) continue
        others++
        for (let at = slot * WORDS; at < (slot + 1) * WORDS; at++) {
          const word = words[at] ?? 0
          if (word === 0) break
          const place = placeOf(word)
          if (place < 0) continue
          having[place] = (having[place] ?? 0) + 1
          if (place < TITLE_WORDS || titleWords === 0) near[slot] = 1
        }
      }
      return near
    },
    /**
     * Returns the function that gives the score of an opening, 0 to 1; 0: not enough. All openings must have been matched.
     * A word weighs ln(1 + n / (1 + m)) where m of n openings have it. A label pair that no other problem has is left out;
     * a word that only the other title has weighs as the words of this title do on average.
     */
    scoring(): (block: Block, slot: number) => number {
      const weights = Float64Array.from(having, (count, place) =>
        placed[place] === 0 || (place >= TITLE_WORDS && count === 0) ? 0 : Math.log(1 + others / (1 + count)),
      )
      const sum = (from: number, to: number) => weights.subarray(from, to).reduce((all, weight) => all + weight, 0)
      const [title, pairs, number] = [sum(0, TITLE_WORDS), sum(TITLE_WORDS, WORDS), serviceOf(service)]
      return ({ services, words }, slot) => {
        let [all, titleIn, pairsIn, ownPairs] = [title, 0, 0, 0]
        for (let at = slot * WORDS; at < (slot + 1) * WORDS && words[at] !== 0; at++) {
          const place = placeOf(words[at] ?? 0)
          const weight = place < 0 ? 0 : (weights[place] ?? 0)
          if (isPair(words[at] ?? 0)) [pairsIn, ownPairs] = [pairsIn + weight, ownPairs + 1]
          else if (place < 0) all += title / (titleWords || 1)
          else titleIn += weight
        }
        const ofTitle = titleWords > 0 ? SCORE.title : 0
        const ofPairs = pairs + ownPairs > 0 ? SCORE.labels : 0
        const ofService = number + (services[slot] ?? 0) > 0 ? SCORE.service : 0
        const same = number === services[slot] ? ofService : 0
        const score = (ofTitle * titleIn) / (all || 1) + (ofPairs * pairsIn) / (pairs || 1) + same
        const scaled = score / (ofTitle + ofPairs + ofService)
        return scaled >= SCORE.enough ? Math.min(1, scaled) : 0
      }
    },
  }
}
