import { type FormField, formFields } from './form-field.js'
import type { PageProvider } from './page-provider.js'

/** Types of fields that are text and no secret. */
const TYPES: ReadonlySet<string> = new Set(['text', 'email', 'tel', 'search', 'url'])

/** Words of `autocomplete` that stand for who somebody is, and for nothing secret (HTML, "Autofill"). */
const WHO: ReadonlySet<string> = new Set(['username', 'email', 'tel', 'name', 'organization'])

/** Longer values are not kept: cookies are short. An address has at most 254 characters (RFC 5321 §4.5.3.1.3). */
const MAX_LENGTH = 254

/**
 * Whether a field says who somebody is, so that its value may be shown again after a failure. A field of which that is not
 * known may be a password or a code.
 */
export function saysWho({ attributes }: FormField): boolean {
  const { type = '', autocomplete = '' } = Object.fromEntries(attributes)
  return TYPES.has(type) && autocomplete.split(' ').some((word) => WHO.has(word))
}

/** What of the body of a form may be shown again after a failure: the values of fields that say who somebody is. */
export function keptValues(
  provider: PageProvider,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    formFields(provider.id, inputsOf(provider))
      .filter(saysWho)
      .map((field) => nameOf(field))
      .flatMap((name) => {
        const value = Object.hasOwn(fields, name) ? fields[name] : undefined
        return isKept(value) ? [[name, value]] : []
      }),
  )
}

/** A form with what was entered before. A field of which the form does not say so now stays as it is. */
export const withValues = (
  fields: readonly FormField[],
  values: Readonly<Record<string, string>>,
): readonly FormField[] =>
  fields.map((field) => {
    const name = nameOf(field)
    const value = saysWho(field) && Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) return field
    return { ...field, attributes: [...field.attributes.filter(([name]) => name !== 'value'), ['value', value]] }
  })

const isKept = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH && !/\p{C}/u.test(value)

const nameOf = ({ attributes }: FormField): string => attributes.find(([name]) => name === 'name')?.[1] ?? ''

const inputsOf = (provider: PageProvider) => {
  if (provider.type === 'credentials') return provider.fields ?? {}
  return provider.type === 'email' ? { email: { type: 'email' } } : {}
}
