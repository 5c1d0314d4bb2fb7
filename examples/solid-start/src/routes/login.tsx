import { useSearchParams } from '@solidjs/router'
import { Show } from 'solid-js'
import { logIn } from '~/session'

export default function Login() {
  const [params] = useSearchParams()
  return (
    <form action={logIn} method="post">
      <Show when={params.error}>
        <p role="alert">That user name and password do not match.</p>
      </Show>
      <input type="hidden" name="redirectTo" value="/private" />
      <input name="username" aria-label="User name" autocomplete="username" />
      <input name="password" type="password" aria-label="Password" autocomplete="current-password" />
      <button type="submit">Log in</button>
    </form>
  )
}
