import { useSignal } from '@preact/signals'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import { Message } from '../../preview/message.tsx'
import { plural } from '../../ui/charts/numbers.ts'
import { Editor } from '../../ui/editor.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { Playground } from './playground.ts'

/** The rendered message as preview or text, or the payload in an editor. */
export function Outcome({ playground, channel }: { readonly playground: Playground; readonly channel: ChannelName }) {
  const view = useSignal<'look' | 'text' | 'payload'>('look')
  const { answer: preview, message } = playground.question.outcome.value
  return (
    <section class="card playground-outcome stack" aria-label="Result">
      <header class="card-head">
        <Tabs
          label="Views of the result"
          tabs={{ look: 'Preview', text: 'Text as sent', payload: 'Payload' }}
          chosen={view.value}
          onChoose={(next) => (view.value = next)}
        />
        {preview && <span class="quiet">{plural(preview.text.length, 'character')}</span>}
      </header>
      <div class="stack gap-2" role="status">
        {message !== '' && <Warning bad text={message} />}
        {message === '' && preview?.warnings.map((warning) => <Warning key={warning} text={warning} />)}
      </div>
      {view.value === 'payload' ? (
        <Editor json label="Payload" text={playground.payload.value} change={(text) => playground.editPayload(text)} />
      ) : (
        <div class={`playground-result ${message === '' ? '' : 'playground-stale'}`}>
          {preview === undefined ? null : view.value === 'text' ? (
            <pre class="raw">
              {preview.subject === undefined ? preview.text : `Subject: ${preview.subject}\n\n${preview.text}`}
            </pre>
          ) : (
            <Message channel={channel} {...preview} title="Incident" status={statusIn(playground)} at={NOW} />
          )}
        </div>
      )}
    </section>
  )
}

const NOW = new Date().toISOString()

/** Guesses the status from the payload, for the colour of the frame. */
const statusIn = (playground: Playground) =>
  /"status":\s*"(resolved|ok)"/i.test(playground.payload.value) ? 'resolved' : 'firing'

function Warning({ text, bad = false }: { readonly text: string; readonly bad?: boolean }) {
  return (
    <div class={`render-warning ${bad ? 'render-error' : ''}`}>
      <Icon name={bad ? 'cross' : 'triangle'} />
      <pre>{text}</pre>
    </div>
  )
}
