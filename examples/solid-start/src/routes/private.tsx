import { createAsync } from '@solidjs/router'
import { For } from 'solid-js'
import { readNotes } from '~/session'

export default function Private() {
  const notes = createAsync(() => readNotes(), { deferStream: true })
  return (
    <ul id="notes">
      <For each={notes()}>{(note) => <li>{note}</li>}</For>
    </ul>
  )
}
