import { action, query, redirect } from '@solidjs/router'
import { CredentialsSignin, getSession, signIn, signOut, updateSession } from 'latchkey/solid-start'
import { getRequestEvent } from 'solid-js/web'
import { config } from './auth'

/** The event of the request that a server function answers. */
function currentEvent() {
  const event = getRequestEvent()
  if (!event) throw new Error('There is no request.')
  return event
}

export const readUser = query(async () => {
  'use server'
  return (await getSession(currentEvent().request, config))?.user ?? null
}, 'user')

/** A server function has an address of its own, so it checks the session itself, whatever guards the page. */
export const readNotes = query(async () => {
  'use server'
  const event = currentEvent()
  const session = await getSession(event.request, config)
  if (!session) return signIn(event, config, undefined, { redirectTo: '/private' })
  return [`The analytical engine, by ${session.user?.name}`]
}, 'notes')

export const logIn = action(async (form: FormData | URLSearchParams) => {
  'use server'
  try {
    await signIn(currentEvent(), config, 'credentials', form)
  } catch (error) {
    // What is no error is the redirect of a sign-in. Every failure is a redirect, too, so that the password stays out of
    // SolidStart's cookie for forms without JavaScript.
    if (!(error instanceof Error)) throw error
    throw redirect(`/login?error=${encodeURIComponent(error instanceof CredentialsSignin ? error.code : 'failed')}`)
  }
}, 'logIn')

export const logInHere = action(async (password: string) => {
  'use server'
  try {
    await signIn(currentEvent(), config, 'credentials', { username: 'ada', password, redirect: false })
    return 'signed in'
  } catch (error) {
    if (error instanceof CredentialsSignin) return 'wrong password'
    throw error
  }
}, 'logInHere')

export const logInAtCompany = action(async () => {
  'use server'
  await signIn(currentEvent(), config, 'company', { redirectTo: '/private' })
}, 'logInAtCompany')

export const logOut = action(async () => {
  'use server'
  await signOut(currentEvent(), config, { redirectTo: '/' })
}, 'logOut')

export const logOutHere = action(async () => {
  'use server'
  await signOut(currentEvent(), config, { redirect: false })
  return 'signed out'
}, 'logOutHere')

export const rename = action(async (form: FormData | URLSearchParams) => {
  'use server'
  await updateSession(currentEvent(), config, { name: form.get('name') })
  throw redirect('/')
}, 'rename')
