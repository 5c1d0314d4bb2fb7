import { $, component$, useSignal } from '@builder.io/qwik'
import { Form, routeAction$, server$, z, zod$ } from '@builder.io/qwik-city'
import { CredentialsSignin, getSession, signIn, signOut, updateSession } from 'latchkey/qwik'
import { useSession, useSignIn, useSignOut } from 'latchkey/qwik/client'

export const useRename = routeAction$(
  async ({ name }, event) => ({ name: (await updateSession(event, { name }))?.user?.name }),
  zod$({ name: z.string() }),
)

/** Signs in without a redirect: the page that shows the answer knows the visitor at once. */
export const useLogInHere = routeAction$(async ({ password }, event) => {
  try {
    await signIn(event, 'credentials', { username: 'ada', password, redirect: false })
    return { attempt: 'signed in' }
  } catch (error) {
    return { attempt: error instanceof CredentialsSignin ? 'wrong password' : 'failed' }
  }
})

export const useLogOutHere = routeAction$(async (_, event) => {
  await signOut(event, { redirect: false })
  return { attempt: 'signed out' }
})

/** Anybody can call it, from any page, so it reads the session itself. */
const readNotes = server$(async function () {
  const session = await getSession(this)
  return session ? `The difference engine, by ${session.user?.name}` : 'Sign in first.'
})

export default component$(() => {
  const session = useSession()
  const [company, leave] = [useSignIn(), useSignOut()]
  const [rename, logInHere, logOutHere] = [useRename(), useLogInHere(), useLogOutHere()]
  const notes = useSignal('')
  return (
    <main>
      <p id="who">
        {session.value
          ? `Signed in as ${session.value.user?.name ?? session.value.user?.email}.`
          : 'Nobody is signed in.'}
      </p>
      {session.value ? (
        <>
          <Form action={rename}>
            <input name="name" value="Augusta" aria-label="Name" />
            <button type="submit">Rename</button>
          </Form>
          <Form action={leave}>
            <input type="hidden" name="redirectTo" value="/" />
            <button type="submit">Log out</button>
          </Form>
          <Form action={logOutHere}>
            <button type="submit">Log out here</button>
          </Form>
        </>
      ) : (
        <>
          <a href="/auth/signin">Sign in</a>
          <Form action={company}>
            <input type="hidden" name="providerId" value="company" />
            <input type="hidden" name="redirectTo" value="/private/" />
            <button type="submit">Company</button>
          </Form>
          <Form action={logInHere}>
            <input type="hidden" name="password" value="lovelace" />
            <button type="submit">Right password</button>
          </Form>
        </>
      )}
      <p id="attempt">{session.value ? logInHere.value?.attempt : logOutHere.value?.attempt}</p>
      <button
        type="button"
        onClick$={$(async () => {
          notes.value = await readNotes()
        })}
      >
        Read notes
      </button>
      <p id="notes">{notes.value}</p>
    </main>
  )
})
