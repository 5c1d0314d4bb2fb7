import { component$ } from '@builder.io/qwik'
import { Form, type RequestHandler, routeAction$, routeLoader$ } from '@builder.io/qwik-city'
import { getSession } from 'latchkey/qwik'
import { guard } from '../plugin@auth'

export const onRequest: RequestHandler = (event) => guard(event)

export const useNotes = routeLoader$(async (event) => {
  const session = await getSession(event)
  return [`The analytical engine, by ${session?.user?.name}`]
})

export const usePublish = routeAction$(() => ({ published: 'The notes are public now.' }))

export default component$(() => {
  const notes = useNotes()
  const publish = usePublish()
  return (
    <>
      <ul id="private">
        {notes.value.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <Form action={publish}>
        <button type="submit">Publish</button>
      </Form>
      <p id="published">{publish.value?.published}</p>
    </>
  )
})
