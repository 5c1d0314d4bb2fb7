// The page. The browser keeps the session in a cookie that no script can read, so the page stores no token.
import { getCsrfToken, SessionProvider, signIn, signOut, useSession } from 'latchkey/react'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

const server = 'http://localhost:3000'

/** Asks the API. Leads who is not signed in any more to the sign-in page, which leads back. */
async function api<Answer>(path: string, body?: object): Promise<Answer> {
  const change = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': (await getCsrfToken()) ?? '' },
    body: JSON.stringify(body),
  }
  const answer = await fetch(`${server}/api${path}`, { credentials: 'include', ...change })
  if (answer.status === 401) await signIn()
  if (!answer.ok) throw new Error(`The API answered ${answer.status}.`)
  return answer.json()
}

function Notes() {
  const { data: session, status } = useSession()
  const [notes, setNotes] = useState<{ text: string }[]>([])
  const load = async () => setNotes(await api('/notes'))
  useEffect(() => {
    if (status === 'authenticated') load()
  }, [status])

  if (status === 'loading') return <p>One moment …</p>
  if (session === null)
    return (
      <button type="button" onClick={() => signIn()}>
        Sign in
      </button>
    )
  const add = async () => {
    await api('/notes', { text: `Written at ${new Date().toISOString()}` })
    await load()
  }
  return (
    <>
      <p>Notes of {session.user?.name}</p>
      <ul>
        {notes.map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <button type="button" onClick={add}>
        Add a note
      </button>
      <button type="button" onClick={() => signOut({ redirectTo: '/' })}>
        Sign out
      </button>
    </>
  )
}

createRoot(document.querySelector('main') as HTMLElement).render(
  <SessionProvider baseUrl={server}>
    <Notes />
  </SessionProvider>,
)
