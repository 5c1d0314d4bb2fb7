'use server'

import { CredentialsSignin } from 'latchkey/next'
import { redirect } from 'next/navigation'
import { auth, signIn, signOut, unstable_update } from '../auth'

export async function signInWithPassword(_: string | null, form: FormData): Promise<string | null> {
  try {
    return await signIn('credentials', form)
  } catch (error) {
    // Everything else goes on, the redirect of Next.js too.
    if (error instanceof CredentialsSignin) return 'Name or password is wrong.'
    throw error
  }
}

export async function signInWithHarbour() {
  await signIn('harbour', { redirectTo: '/papers' }, { prompt: 'login' })
}

export async function signInByMail(form: FormData) {
  await signIn('nodemailer', form)
}

export async function signInAnyhow() {
  await signIn()
}

export async function signInQuietly() {
  const url = await signIn('credentials', {
    username: 'ada',
    password: 'lovelace',
    redirect: false,
    redirectTo: '/papers',
  })
  redirect(`${url}?quietly`)
}

export async function rename(form: FormData) {
  if ((await auth()) === null) throw new Error('Sign in first.')
  await unstable_update({ user: { name: String(form.get('name')) } })
}

export async function leave() {
  await signOut({ redirectTo: '/about' })
}

export async function leaveQuietly() {
  const url = await signOut({ redirect: false, redirectTo: '/about' })
  redirect(`${url}?quietly`)
}
