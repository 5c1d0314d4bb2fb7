import { RequestRefused } from '../../errors.js'
import { type BodyFields, hasRepeatedNames } from '../../http/body.js'

/** Options of a sign-in. Every other member is a field for the provider, such as `email` or `password`. */
export interface SignInOptions {
  /** Where the visitor goes in the end: a path or URL; by default the page that the request came from, else `/`. */
  redirectTo?: string | undefined
  /** With `false` nobody is redirected, and the result is the URL. */
  redirect?: boolean | undefined
  [field: string]: unknown
}

/**
 * A form as a server function gets it. SolidStart 2 gives `URLSearchParams` for a form without files that was sent
 * without JavaScript.
 */
export type SubmittedForm = FormData | URLSearchParams

/** Separates the fields of the provider from the options. */
export function readSignInOptions(options: SignInOptions | SubmittedForm): {
  readonly redirect: boolean
  readonly redirectTo: string | undefined
  readonly fields: BodyFields
} {
  // A form comes from the visitor, who does not decide what kind of result the application gets.
  if (isForm(options)) return { ...readFields(fieldsOf(options)), redirect: true }
  const { redirect = true, ...given } = options
  return { ...readFields(given), redirect }
}

function readFields({ redirectTo, callbackUrl, ...fields }: BodyFields) {
  const target = redirectTo ?? callbackUrl
  return { redirectTo: typeof target === 'string' ? target : undefined, fields }
}

const isForm = (options: SignInOptions | SubmittedForm): options is SubmittedForm =>
  options instanceof URLSearchParams || options instanceof FormData

/**
 * The text fields of a form.
 *
 * @throws {RequestRefused} 400 when one is repeated: another reader could take the other value
 */
function fieldsOf(form: SubmittedForm): BodyFields {
  const pairs = new URLSearchParams()
  for (const [name, value] of form) if (typeof value === 'string') pairs.append(name, value)
  if (hasRepeatedNames(pairs)) throw new RequestRefused(400, 'A field of the form is repeated.')
  const { redirect, ...fields } = Object.fromEntries(pairs)
  return fields
}
