import flamegraph from 'd3-flame-graph'
import { select } from 'd3-selection'
import type { Frame } from '../profile/cpu-profile.ts'
import { element, shownData } from './dom.ts'
import '../../node_modules/d3-flame-graph/dist/d3-flamegraph.css'
import './report.css'
import './flame.css'

/**
 * The page of `npm run profile`: one flame graph at a time, chosen by thread. A click zooms into a frame; the search
 * field finds functions.
 */
const threads = shownData<{ readonly thread: string; readonly root: Frame }[]>()
const chart = flamegraph()
  .width(Math.min(1_160, document.documentElement.clientWidth - 48))
  .cellHeight(18)
  .minFrameSize(2)
  .inverted(true)
  .label(
    ({ data: { name, value }, x0, x1 }) =>
      `${name}: ${value.toFixed(1)} ms, ${((x1 - x0) * 100).toFixed(1)} % of what is shown`,
  )
  .setColorMapper(({ data: { name }, highlight }) => (highlight ? '#e600e6' : colorOf(name)))

/** Colour by owner of the function: the project, a library, Node, or no function. */
function colorOf(name: string): string {
  if (/^\([^)]*\)$/.test(name)) return '#c9ced6'
  if (/ (src|actors|templates)\//.test(name)) return '#f2a65a'
  if (/ node:/.test(name)) return '#9cc5a1'
  return / \S/.test(name) ? '#8fb8de' : '#d6c6e8'
}

const choice = element(
  'select',
  threads.map(({ thread, root }) => element('option', `${thread}: ${(root.value / 1_000).toFixed(1)} s`)),
)
const search = element('input') as HTMLInputElement
search.placeholder = 'name of a function or a file'
const holder = element('div')
document.body.append(
  element('h1', document.title),
  element(
    'p',
    'Orange: the project; blue: libraries; green: node; grey: the collector and what is native. Time of all recorded processes, idle time apart.',
  ),
  element('p', [choice, search]),
  holder,
)
search.addEventListener('input', () => (search.value === '' ? chart.clear() : chart.search(search.value)))
choice.addEventListener('change', show)
show()

function show(): void {
  const { root } = threads[(choice as HTMLSelectElement).selectedIndex] ?? {}
  if (!root) return
  holder.replaceChildren()
  select(holder).datum(root).call(chart)
}
