import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button, type ButtonProps } from './field.tsx'

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
        <Button look="plain" icon="close" name="Close" onPress={close} />
      </header>
      {children}
    </dialog>
  )
}

interface ConfirmButtonProps extends Omit<ButtonProps, 'onPress'> {
  /** Title of the question. */
  readonly ask: string
  /** Label of the button that confirms. */
  readonly action: string
  /** Text of the question. */
  readonly text: ComponentChildren
  confirm(): void
}

/** A button that asks before an action that cannot be undone. */
export function ConfirmButton({ ask, action, text, confirm, ...button }: ConfirmButtonProps) {
  const asking = useSignal(false)
  const close = () => {
    asking.value = false
  }
  const go = () => {
    close()
    confirm()
  }
  return (
    <>
      <Button {...button} onPress={() => (asking.value = true)} />
      {asking.value && (
        <Dialog title={ask} close={close}>
          <div class="dialog-text">
            <p>{text}</p>
          </div>
          <footer class="dialog-foot">
            <Button onPress={close}>Cancel</Button>
            <Button primary onPress={go}>
              {action}
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  )
}
