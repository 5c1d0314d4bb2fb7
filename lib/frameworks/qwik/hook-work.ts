import { ERROR_RULES, type ErrorRule } from '../../kernel/error-rules.js'
import { AuthError, CredentialsSignin, RequestRefused } from '../../kernel/errors.js'
import { errorNotice, signInMessage } from '../../pages/messages.js'
import { inEnglish } from '../../pages/texts/translation.js'
import type { HookWork, InputCheck, SignInFailure, SignInInput, SignOutInput } from './client.js'
import { forgetFields, type QwikActionEvent } from './event.js'
import type { Operations } from './operations.js'

/**
 * What the hooks do on the server.
 *
 * @param checks of the fields of the two forms
 */
export function hookWork({ getSession, signIn, signOut }: Operations, checks: HookWork['checks']): HookWork {
  return {
    checks: { signIn: withoutEcho(checks.signIn), signOut: withoutEcho(checks.signOut) },
    readSession: (event) => getSession(event),
    signIn: (input, event) => attempt(event, () => signInAs(input, event)),
    signOut: ({ redirectTo, endSession }: SignOutInput, event) =>
      attempt(event, () => signOut(event, { redirectTo: textOf(redirectTo), endSession: endSession === 'true' })),
  }

  function signInAs(
    { providerId, redirectTo, options = {}, authorizationParams }: SignInInput,
    event: QwikActionEvent,
  ) {
    const { redirectTo: inner, redirect: _, ...fields } = options
    const given = { ...fields, redirectTo: textOf(inner) ?? textOf(redirectTo) }
    return signIn(event, textOf(providerId), given, authorizationParams)
  }
}

/** Empty fields of a form count as absent. */
const textOf = (value: string | null | undefined) => value || undefined

/** Does what redirects in the end. What fails becomes the value of the action, which the page can show. */
async function attempt(event: QwikActionEvent, work: () => Promise<never>): Promise<SignInFailure> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return event.fail(statusOf(error), { ...reasonOf(error), fieldErrors: {} })
  }
}

/** A check that forgets the fields of the submitted form, also of one that is not valid. */
const withoutEcho = ({ validate }: InputCheck): InputCheck => ({
  validate(event, data) {
    forgetFields(event)
    return validate(event, data)
  },
})

function statusOf(error: AuthError): number {
  if (error instanceof RequestRefused) return error.status
  if (error instanceof CredentialsSignin) return 401
  const { by }: ErrorRule = ERROR_RULES[error.type]
  return by === undefined ? 500 : 403
}

/** What a visitor learns: as much as on the pages of the mount. */
function reasonOf(error: AuthError) {
  const { page, shownAs, code }: ErrorRule = ERROR_RULES[error.type]
  const shown = { error: shownAs, code: error instanceof CredentialsSignin ? error.code : code }
  const text = page === 'signIn' ? signInMessage(shownAs, shown.code) : errorNotice(shownAs, shown.code).text
  return { ...shown, formErrors: [text === null ? '' : inEnglish(text)] }
}
