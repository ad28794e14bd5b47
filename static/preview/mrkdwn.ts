const SPECIAL = /<([^<>\n]+)>/g

/** Converts the markup of the team chat to HTML: fences, code, bold, italic, strike, quotes, links and mentions. */
export function mrkdwnToHtml(text: string): string {
  const blocks = text.split(/```\n?([\s\S]*?)\n?```/)
  return blocks.map((block, at) => (at % 2 === 1 ? `<pre>${block}</pre>` : prose(block))).join('')
}

function prose(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line.startsWith('&gt;') ? `<blockquote>${spans(line.slice(4).trimStart())}</blockquote>` : `${spans(line)}<br>`,
    )
    .join('')
    .replace(/(<br>)+$/, '')
}

/** Splits off code first, because markup has no meaning inside it. */
function spans(line: string): string {
  const parts = line.split(/`([^`\n]+)`/)
  return parts.map((part, at) => (at % 2 === 1 ? `<code>${part}</code>` : marks(part))).join('')
}

function marks(text: string): string {
  return text
    .replace(SPECIAL, (_, inside: string) => special(inside))
    .replace(/(^|[\s(>])\*([^*\s](?:[^*]*[^*\s])?)\*(?=$|[\s.,:;!?)<·])/g, '$1<b>$2</b>')
    .replace(/(^|[\s(>])_([^_\s](?:[^_]*[^_\s])?)_(?=$|[\s.,:;!?)<·])/g, '$1<i>$2</i>')
    .replace(/(^|[\s(>])~([^~\s](?:[^~]*[^~\s])?)~(?=$|[\s.,:;!?)<·])/g, '$1<s>$2</s>')
}

function special(inside: string): string {
  const [target = '', label] = inside.split('|', 2)
  if (/^(https?:|mailto:)/i.test(target)) return `<a href="${target.replaceAll('"', '%22')}">${label ?? target}</a>`
  const mention = target.replace(/^!subteam\^|^[@#!]/, '')
  return `<strong>${target.startsWith('#') ? '#' : '@'}${label ?? mention}</strong>`
}
