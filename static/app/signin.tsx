import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { trySecret } from '../api/client.ts'
import { messageOf } from '../api/resource.ts'
import { signIn, signOutReason } from '../api/session.ts'

/** The page that asks for the gateway secret. */
export function SignIn() {
  const given = useSignal('')
  const error = useSignal('')
  const busy = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const submit = async (event: Event) => {
    event.preventDefault()
    if (given.value === '' || busy.value) return
    busy.value = true
    try {
      await trySecret(given.value)
      signIn(given.value)
    } catch (reason) {
      error.value = signInError(reason)
      field.current?.select()
    }
    busy.value = false
  }
  const message = error.value || signOutReason.value
  return (
    <main class="signin">
      <form class="signin-card stack gap-3" onSubmit={submit}>
        <img src={document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href} alt="" width="44" height="44" />
        <h1>Tocsin</h1>
        <p class="quiet">Sign in with the gateway secret of this service.</p>
        <label class="field stack gap-1">
          <span>Gateway secret</span>
          <input
            ref={field}
            type="password"
            name="secret"
            autocomplete="current-password"
            value={given.value}
            aria-invalid={message !== ''}
            aria-describedby="signin-error"
            onInput={(event) => (given.value = event.currentTarget.value)}
          />
        </label>
        <p id="signin-error" class="signin-error" role="alert">
          {message}
        </p>
        <button type="submit" class="button button-main" aria-busy={busy.value}>
          Sign in
        </button>
        <p class="quiet tiny">
          It is <code>gateway_secret</code> in the configuration or <code>GATEWAY_SECRET</code> in the environment. This
          tab keeps it until it is closed.
        </p>
      </form>
    </main>
  )
}

function signInError(error: unknown): string {
  const { status, message } = messageOf(error)
  if (status === 401) return 'This secret is wrong.'
  if (status === 429) return 'Too many wrong secrets from this address. Wait a minute and try again.'
  return message
}
