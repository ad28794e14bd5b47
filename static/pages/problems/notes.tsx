import { useSignal } from '@preact/signals'
import type { Brief } from '../../../src/api/brief.ts'
import { post, remove } from '../../api/client.ts'
import { useActions } from '../../app/actions.ts'
import { NameField, named } from '../../app/person.tsx'
import { href } from '../../app/route.ts'
import { Button } from '../../ui/field.tsx'
import { Time } from '../../ui/time.tsx'

interface NotesProps {
  readonly of: Brief
  changed(): void
}

/** Notes of people about the problem and similar ones, with a form for another. */
export function Notes({ of: { problem, notes }, changed }: NotesProps) {
  const { busy, run } = useActions(changed)
  const text = useSignal('')
  const add = () =>
    run('add', async () => {
      await post(`/api/admin/problems/${problem.id}/notes`, { text: text.value.trim(), ...named() })
      text.value = ''
      return 'Noted'
    })
  return (
    <section class="notes" aria-label="Notes">
      {notes.length > 0 && (
        <ul>
          {notes.map((note) => (
            <li key={note.id} class="note">
              <p class="break">{note.text}</p>
              <p class="quiet">
                {note.by}, <Time at={note.at} />
                {note.problem !== null && note.problem !== problem.id && (
                  <>
                    , about <a href={href('problems', String(note.problem))}>problem {note.problem}</a>
                  </>
                )}
              </p>
              <button
                type="button"
                class="button"
                aria-label={`Delete the note of ${note.by}: ${note.text.slice(0, 40)}`}
                disabled={busy(`delete ${note.id}`)}
                onClick={() =>
                  run(`delete ${note.id}`, () => remove(`/api/admin/notes/${note.id}`).then(() => 'Deleted'))
                }
              >
                Delete
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="note-form row"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.value.trim() !== '') add()
        }}
      >
        <textarea
          aria-label="New note"
          placeholder="What helps the next person"
          rows={2}
          maxlength={2_000}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
          }}
        />
        {problem.state !== 'firing' && <NameField />}
        <Button busy={busy('add')} disabled={text.value.trim() === ''} onPress={add}>
          Add a note
        </Button>
      </form>
    </section>
  )
}
