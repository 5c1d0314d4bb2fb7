import { fieldsOfForm } from '../../kernel/body.js'
import type { SignInRequest } from '../web/index.js'

/** Options of a sign-in or a sign-out by code; a form has them as fields. */
export interface RedirectOptions<Redirect extends boolean = boolean> {
  /** Path or URL of this origin, for afterwards; by default the page that the request came from. */
  readonly redirectTo?: string
  /** With `false` the URL is returned, and nothing is redirected. */
  readonly redirect?: Redirect
}

/** Options of a sign-in by code, with the fields of the provider's form: `email`, `username`, `password`. */
export interface SignInOptions<Redirect extends boolean = boolean> extends RedirectOptions<Redirect> {
  readonly [field: string]: unknown
}

/** The options of a sign-in or a sign-out, as a form or a call gave them, and the fields for the provider. */
export interface GivenOptions {
  readonly fields: Readonly<Record<string, unknown>>
  readonly redirectTo: string | undefined
  readonly redirects: boolean
}

/** Fields whose names begin with this are parameters of the authorization request. */
const PARAMETER = 'authorizationParams-'

/**
 * Reads options. `callbackUrl` is an older name of `redirectTo`.
 *
 * @throws {RequestRefused} 400 when a form repeats a field
 */
export function readOptions(options: FormData | SignInOptions = {}): GivenOptions {
  const given: Record<string, unknown> = options instanceof FormData ? { ...fieldsOfForm(options) } : { ...options }
  const { redirectTo, redirect, callbackUrl, ...fields } = given
  return {
    fields,
    redirectTo: textOf(redirectTo) ?? textOf(callbackUrl),
    redirects: redirect !== false && redirect !== 'false',
  }
}

/** Reads the form of a sign-in: `providerId`, options, parameters of the authorization request, and the other fields. */
export function readSignInForm(form: FormData): GivenOptions & Pick<SignInRequest, 'provider' | 'authorizationParams'> {
  const { fields, ...options } = readOptions(form)
  const { providerId, ...others } = fields
  const entries = Object.entries(others)
  const params = entries.flatMap(([name, value]) =>
    name.startsWith(PARAMETER) && typeof value === 'string' ? [[name.slice(PARAMETER.length), value]] : [],
  )
  return {
    ...options,
    fields: Object.fromEntries(entries.filter(([name]) => !name.startsWith(PARAMETER))),
    provider: textOf(providerId),
    authorizationParams: params,
  }
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
