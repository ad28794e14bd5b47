import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  readonly class?: string
  readonly children: ComponentChildren
  close(): void
}

/**
 * A modal dialog, open while it is rendered. The browser keeps the focus inside; Escape and a click beside it close it.
 * The element that had the focus before gets it back.
 */
export function Dialog({ title, class: name = '', children, close }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    ref.current?.querySelector<HTMLElement>('.button-main')?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same as a click beside the dialog
    <dialog
      ref={ref}
      class={`dialog ${name}`}
      aria-label={title}
      onClose={close}
      onClick={(event) => event.target === ref.current && close()}
    >
      <header class="dialog-head">
        <h2>{title}</h2>
        <button type="button" class="plain-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  /** Label of the button that confirms. */
  readonly action: string
  readonly children: ComponentChildren
  confirm(): void
  close(): void
}

/** Asks before an action that cannot be undone. */
export function Confirm({ title, action, children, confirm, close }: ConfirmProps) {
  const go = () => {
    close()
    confirm()
  }
  return (
    <Dialog title={title} close={close}>
      <div class="dialog-text">{children}</div>
      <footer class="dialog-foot">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button button-main" onClick={go}>
          {action}
        </button>
      </footer>
    </Dialog>
  )
}
