import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  readonly class?: string
  readonly children: ComponentChildren
  close(): void
}

/** In front of everything else while it is rendered: the browser keeps the focus in it, Escape and the ground behind close it. */
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
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does what a click on the ground does
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
  /** What the button that goes ahead says. */
  readonly action: string
  readonly children: ComponentChildren
  confirm(): void
  close(): void
}

/** Asks before what cannot be taken back. */
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
