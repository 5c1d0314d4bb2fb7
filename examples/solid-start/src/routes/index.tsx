import { createAsync, useAction, useSubmission } from '@solidjs/router'
import { signOut } from 'latchkey/solid-start/client'
import { Show } from 'solid-js'
import { logInAtCompany, logInHere, logOut, logOutHere, readUser, rename } from '~/session'

export default function Home() {
  const user = createAsync(() => readUser(), { deferStream: true })
  const attempt = useSubmission(logInHere)
  const tryPassword = useAction(logInHere)
  const leave = useAction(logOutHere)
  return (
    <main>
      <Show
        when={user()}
        fallback={
          <>
            <p id="who">Nobody is signed in.</p>
            <a href="/api/auth/signin" rel="external">
              Sign in
            </a>
            <form action={logInAtCompany} method="post">
              <button type="submit">Company</button>
            </form>
            <button type="button" onClick={() => tryPassword('wrong')}>
              Wrong password
            </button>
            <button type="button" onClick={() => tryPassword('lovelace')}>
              Right password
            </button>
            <p id="attempt">{attempt.result}</p>
          </>
        }
      >
        {(present) => (
          <>
            <p id="who">Signed in as {present().name ?? present().email}.</p>
            <form action={rename} method="post">
              <input name="name" value="Augusta" aria-label="Name" />
              <button type="submit">Rename</button>
            </form>
            <form action={logOut} method="post">
              <button type="submit">Log out</button>
            </form>
            <button type="button" onClick={() => leave()}>
              Log out here
            </button>
            <button type="button" onClick={() => signOut({ redirectTo: '/login' })}>
              Log out in the browser
            </button>
          </>
        )}
      </Show>
    </main>
  )
}
