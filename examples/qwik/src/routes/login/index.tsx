import { component$ } from '@builder.io/qwik'
import { Form } from '@builder.io/qwik-city'
import { useSignIn } from 'latchkey/qwik/client'

export default component$(() => {
  const signIn = useSignIn()
  return (
    <Form action={signIn}>
      {signIn.value?.failed && <p role="alert">{signIn.value.formErrors.join(' ')}</p>}
      <input type="hidden" name="providerId" value="credentials" />
      <input type="hidden" name="redirectTo" value="/private/" />
      <input name="options.username" aria-label="User name" autocomplete="username" />
      <input name="options.password" type="password" aria-label="Password" autocomplete="current-password" />
      <button type="submit">Log in</button>
    </Form>
  )
})
