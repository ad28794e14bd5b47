import { useState } from 'preact/hooks'
import { plural } from './charts/numbers.ts'
import { Icon } from './icon.tsx'

/** Levels that are open at first, unless a collection has more than `OPEN_ENTRIES`. */
const OPEN_LEVELS = 3
const OPEN_ENTRIES = 40
/** Entries of one collection that are drawn at first, and with each press on the button for more. */
const STEP = 200

/** JSON as a tree whose branches open and close. */
export function Tree({ value }: { readonly value: unknown }) {
  return (
    <div class="tree">
      <Node name={undefined} value={value} level={0} />
    </div>
  )
}

interface NodeProps {
  readonly name: string | undefined
  readonly value: unknown
  readonly level: number
}

function Node({ name, value, level }: NodeProps) {
  if (typeof value !== 'object' || value === null) {
    return (
      <div class="tree-leaf">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    )
  }
  return <Branch name={name} value={value} level={level} />
}

interface BranchProps extends NodeProps {
  readonly value: object
}

function Branch({ name, value, level }: BranchProps) {
  const entries = Object.entries(value)
  const [open, setOpen] = useState(level < OPEN_LEVELS && entries.length <= OPEN_ENTRIES)
  const [shown, setShown] = useState(STEP)
  const list = Array.isArray(value)
  const summary = list ? plural(entries.length, 'item') : plural(entries.length, 'field')
  return (
    <div class="tree-branch">
      <button type="button" class="tree-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} size={12} />
        <Name name={name} />
        <span class="quiet">{`${list ? '[ ]' : '{ }'} ${summary}`}</span>
      </button>
      {open && (
        <div class="tree-inside">
          {entries.slice(0, shown).map(([key, each]) => (
            <Node key={key} name={key} value={each} level={level + 1} />
          ))}
          {entries.length > shown && (
            <button type="button" class="link-button" onClick={() => setShown(shown + STEP)}>
              {plural(entries.length - shown, 'more')}
            </button>
          )}
        </div>
      )}
    </div>
  )
}

const Name = ({ name }: { readonly name: string | undefined }) =>
  name === undefined ? null : <span class="tree-name">{name}</span>

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <span class="tree-text">{value === '' ? '""' : value}</span>
  return <span class="tree-literal">{String(value)}</span>
}
