import { type BodyFields, fieldsOfForm } from '../../http/body.js'

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

/** @throws {RequestRefused} 400 when a field is repeated */
function fieldsOf(form: SubmittedForm): BodyFields {
  const { redirect, ...fields } = fieldsOfForm(form)
  return fields
}
