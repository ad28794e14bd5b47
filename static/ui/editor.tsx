import { useRef } from 'preact/hooks'

/** A position in the text; both numbers begin at 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

interface EditorProps {
  readonly label: string
  readonly text: string
  readonly errorAt?: Position | undefined
  /** The text is JSON: no part of it is coloured as a template's action. */
  readonly json?: boolean
  change(text: string): void
}

/** A transparent text field over a coloured copy of its text, with line numbers; the line of the error is marked. */
export function Editor({ label, text, errorAt, json = false, change }: EditorProps) {
  const back = useRef<HTMLDivElement>(null)
  const scrolled = ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }) => {
    if (back.current === null) return
    back.current.scrollTop = currentTarget.scrollTop
    back.current.scrollLeft = currentTarget.scrollLeft
  }
  const lines = text.split('\n')
  return (
    <div class="editor">
      <div class="editor-back" ref={back} aria-hidden="true">
        <ol class="editor-lines">
          {lines.map((_, at) => (
            <li key={at} class={errorAt?.line === at + 1 ? 'editor-error' : ''}>
              {at + 1}
            </li>
          ))}
        </ol>
        <pre class="editor-text">{json ? text : colored(text)}</pre>
      </div>
      <textarea
        class="editor-field"
        aria-label={label}
        value={text}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        wrap="off"
        onScroll={scrolled}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </div>
  )
}

const ACTION = /(\{\{[\s\S]*?\}\})/

function colored(text: string) {
  return text.split(ACTION).map((part, at) => {
    if (at % 2 === 0) return part
    return (
      <span key={at} class={/^\{\{-?\s*(\/\*|!)/.test(part) ? 'editor-comment' : 'editor-action'}>
        {part}
      </span>
    )
  })
}
