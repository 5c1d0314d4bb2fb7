import Link from 'next/link'
import { auth } from '../auth'
import { leave, leaveQuietly, rename, signInAnyhow, signInByMail, signInQuietly, signInWithHarbour } from './actions'
import { PasswordForm } from './password-form'

export default async function Home() {
  const session = await auth()
  return (
    <main>
      <h1>{session ? `Hello, ${session.user?.name ?? session.user?.email}` : 'Nobody is signed in'}</h1>
      <Link href="/papers">Papers</Link> <Link href="/about">About</Link>
      {session ? (
        <>
          <form id="rename" action={rename}>
            <input name="name" aria-label="New name" />
            <button type="submit">Rename</button>
          </form>
          <form id="leave" action={leave}>
            <button type="submit">Sign out</button>
          </form>
          <form id="leave-quietly" action={leaveQuietly}>
            <button type="submit">Sign out without a redirect</button>
          </form>
        </>
      ) : (
        <>
          <form id="anyhow" action={signInAnyhow}>
            <button type="submit">Sign in</button>
          </form>
          <form id="harbour" action={signInWithHarbour}>
            <button type="submit">Sign in with Harbour ID</button>
          </form>
          <form id="mail" action={signInByMail}>
            <input name="email" type="email" aria-label="E-mail" />
            <input name="redirectTo" type="hidden" value="/papers" />
            <button type="submit">Send me a link</button>
          </form>
          <form id="quietly" action={signInQuietly}>
            <button type="submit">Sign in without a redirect</button>
          </form>
          <PasswordForm />
        </>
      )}
    </main>
  )
}
