'use client'

import { useActionState } from 'react'
import { signInWithPassword } from './actions'

export function PasswordForm() {
  const [complaint, submit] = useActionState(signInWithPassword, null)
  return (
    <form id="password" action={submit}>
      <input name="username" aria-label="Name" />
      <input name="password" type="password" aria-label="Password" />
      <input name="redirectTo" type="hidden" value="/papers" />
      <button type="submit">Sign in with a password</button>
      <p role="alert">{complaint}</p>
    </form>
  )
}
