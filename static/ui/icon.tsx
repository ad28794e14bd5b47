/** Paths on a grid of 16 by 16. */
const PATHS = {
  overview: 'M2.5 12.5a6 6 0 1 1 11 0M8 9.5l2.6-3.4M8 10.2a.7.7 0 1 0 0-1.4.7.7 0 0 0 0 1.4z',
  problems: 'M8 2.2a4 4 0 0 0-4 4v2.6L2.8 11.2h10.4L12 8.8V6.2a4 4 0 0 0-4-4zM6.6 13.5a1.5 1.5 0 0 0 2.8 0',
  incidents: 'M8 2.2a4 4 0 0 0-4 4v2.6L2.8 11.2h10.4L12 8.8V6.2a4 4 0 0 0-4-4zM6.6 13.5a1.5 1.5 0 0 0 2.8 0',
  tail: 'M1.5 8.5h2.7L6 3.5l3.5 9 1.9-4h3.1',
  noise: 'M2.5 7v2M5.2 5v6M8 2.5v11M10.8 5.5v5M13.5 7v2',
  heartbeats: 'M1.5 8.5h3l1.5-3 2.5 6 2-5 1 2h3M2.8 5.6A3 3 0 0 1 8 4a3 3 0 0 1 5.2 1.6',
  oncall:
    'M4.6 2.5 6.8 5 5.6 6.6a7 7 0 0 0 3.8 3.8L11 9.2l2.5 2.2c0 1.2-1 2.1-2.1 2.1A9 9 0 0 1 2.5 4.6c0-1.1.9-2.1 2.1-2.1z',
  routes: 'M2 8h3l3-3.8h6M5 8l3 3.8h6M11.7 2l2.3 2.2-2.3 2.2M11.7 9.6l2.3 2.2-2.3 2.2',
  rehearsal: 'M8 14A6 6 0 1 0 2.6 5.3M2.2 2.3v3.2h3.2M6.6 5.8v4.4L10.2 8z',
  silences:
    'M12.4 11.2h.8L12 8.8V6.2a4 4 0 0 0-6.3-3.3M4.1 5.6 4 8.8l-1.2 2.4h6.9M6.6 13.5a1.5 1.5 0 0 0 2.8 0M2 2l12 12',
  digests: 'M2.5 3h11M2.5 6.3h11M2.5 9.7h11M2.5 13h6.5',
  channels: 'M14 2 7.2 8.8M14 2 9.8 14 7.2 8.8 2 6.2z',
  templates:
    'M5.8 2.5c-1.6 0-1.8.8-1.8 2v1.3c0 1.2-.7 2-1.7 2.2 1 .2 1.7 1 1.7 2.2v1.3c0 1.2.2 2 1.8 2M10.2 2.5c1.6 0 1.8.8 1.8 2v1.3c0 1.2.7 2 1.7 2.2-1 .2-1.7 1-1.7 2.2v1.3c0 1.2-.2 2-1.8 2',
  agent: 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  config:
    'M2 4.5h6.5M12 4.5h2M2 11.5h2M7.5 11.5H14M10.2 6.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM5.8 13.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4z',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 14 14',
  check: 'm3 8.5 3.3 3.3L13 5',
  cross: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6 6l4 4M10 6l-4 4',
  close: 'm4 4 8 8M12 4l-8 8',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6L12.5 8z',
  menu: 'M2 4.5h12M2 8h12M2 11.5h12',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  down: 'm3.5 6 4.5 4.5L12.5 6',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  bottom: 'M8 2.5v8.5M4 7.5l4 4 4-4M3 13.8h10',
  again: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.8v2.7h-2.7',
  send: 'M14 2 7.2 8.8M14 2 9.8 14 7.2 8.8 2 6.2z',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  out: 'M6.5 2.5h-4v11h4M9.8 4.8 13.5 8l-3.7 3.2M13.5 8H6',
  key: 'M10.3 9.5a3.8 3.8 0 1 0-3.6-2.7L2.2 11.3v2.5h2.5v-1.6h1.6v-1.6l1.5-1.5c.7.3 1.6.4 2.5.4zM11 5.2v.1',
  keys: 'M1.8 4.2h12.4v7.6H1.8zM4.3 6.8v.1M6.8 6.8v.1M9.2 6.8v.1M11.7 6.8v.1M5 9.5h6',
  person: 'M8 7.8a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.8 13.6a5.3 5.3 0 0 1 10.4 0',
  triangle: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1',
} as const

export type IconName = keyof typeof PATHS

/** A picture beside a text of the same meaning; hidden from screen readers. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class="icon"
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
