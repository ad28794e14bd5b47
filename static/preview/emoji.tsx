import type { ComponentChildren } from 'preact'
import { Icon } from '../ui/icon.tsx'
import { Severity } from '../ui/severity.tsx'

/** Emoji whose colour stands for a severity. */
const SEVERITIES: { readonly [emoji: string]: string } = {
  '🔴': 'critical',
  '🚨': 'critical',
  '🟠': 'warning',
  '🟡': 'warning',
  '⚠️': 'warning',
  '🔵': 'info',
}
const DONE = ['🟢', '✅']
/** Emoji of digests: a storm, its end, and a group. */
const DIGESTS: { readonly [emoji: string]: 'noise' | 'person' } = { '🌩': 'noise', '🌤': 'noise', '👥': 'person' }
/** The two of storms are written without a variation selector. */
const EMOJI = /(\p{RGI_Emoji}|🌩|🌤)/v

/** Returns the text of a message with an icon in place of each emoji that this system has no font for. */
export function withEmoji(text: string): ComponentChildren {
  const parts = text.split(EMOJI)
  return parts.length === 1 ? text : parts.map((part, at) => (at % 2 === 1 ? <Emoji key={at} emoji={part} /> : part))
}

function Emoji({ emoji }: { readonly emoji: string }) {
  if (isDrawn(emoji)) return <>{emoji}</>
  const digest = DIGESTS[emoji]
  return (
    <span class={digest ? 'look-emoji look-digest' : 'look-emoji'}>
      {DONE.includes(emoji) ? (
        <Icon name="check" />
      ) : digest ? (
        <Icon name={digest} />
      ) : (
        <Severity severity={SEVERITIES[emoji] ?? 'none'} short />
      )}
    </span>
  )
}

const PIXELS = 16
/** A noncharacter: no font has a glyph for it, so the box for a missing glyph is drawn. */
const MISSING = '\u{FFFFE}'
const drawn = new Map<string, boolean>()

function isDrawn(emoji: string): boolean {
  const known = drawn.get(emoji)
  if (known !== undefined) return known
  const isKnown = colored(pixelsOf(emoji)) || (!hasIcon(emoji) && !same(pixelsOf(firstOf(emoji)), pixelsOf(MISSING)))
  drawn.set(emoji, isKnown)
  return isKnown
}

/** Without its colour such an emoji says less than the icon does. */
const hasIcon = (emoji: string) => emoji in SEVERITIES || DONE.includes(emoji)
/** A sequence is drawn as one box for each missing part, so only the first part is compared. */
const firstOf = (emoji: string) => String.fromCodePoint(emoji.codePointAt(0) ?? 0)

/** Draws the text in black and returns its RGBA values; empty where the browser has no canvas. */
function pixelsOf(text: string): Uint8ClampedArray {
  const canvas = Object.assign(document.createElement('canvas'), { width: 2 * PIXELS, height: 2 * PIXELS })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) return new Uint8ClampedArray()
  context.font = `${PIXELS}px ${getComputedStyle(document.body).fontFamily}`
  context.textBaseline = 'top'
  context.fillText(text, 0, PIXELS / 4)
  return context.getImageData(0, 0, canvas.width, canvas.height).data
}

const colored = (pixels: Uint8ClampedArray) => pixels.some((value, at) => at % 4 !== 3 && value > 32)
const same = (one: Uint8ClampedArray, other: Uint8ClampedArray) => one.every((value, at) => value === other[at])
