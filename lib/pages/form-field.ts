import type { BodyFields } from '../kernel/body.js'
import type { CredentialInput } from '../providers/provider.js'
import { pageText, type TextKey, type Wording } from './texts/text.js'

/** One `<input>` of a form, with its caption. */
export interface FormField {
  readonly id: string
  readonly label: Wording
  /** `hidden` has no caption; a `choice` (checkbox, radio button) stands before it. */
  readonly layout: 'hidden' | 'choice' | 'line'
  /** Whether it asks for the password that somebody has, and not for a new one. */
  readonly isPassword: boolean
  /** All attributes but `id`; an empty value is a bare attribute. */
  readonly attributes: readonly (readonly [name: string, value: string])[]
}

/** Names that a form's own hidden fields have. */
const CSRF_FIELD = 'csrfToken'
export const CALLBACK_URL_FIELD = 'callbackUrl'
/** Name of the field for a mailed code. */
export const CODE_FIELD = 'emailCode'
/** Name of the checkbox with which visitors ask to stay signed in. */
export const REMEMBER_FIELD = 'remember'

const ATTRIBUTE = /^[a-z][a-z\d_.:-]*$/
/**
 * Attributes that the form sets in another way, or that have no use on these pages. The content policy refuses event
 * handlers and inline styles anyway.
 */
const NOT_PASSED_ON = /^(?:on.*|style|label|id|name|type|form)$/
/** Attributes whose value can be the text `false`. For other attributes, `false` means that the attribute is absent. */
const SPELLED_OUT = /^(?:aria-.*|data-.*|draggable|spellcheck|writingsuggestions)$/

/**
 * The fields of a provider's form, in the given order. A field with the name of the CSRF token is left out, because it
 * would replace the token.
 */
export function formFields(
  providerId: string,
  inputs: Readonly<Record<string, CredentialInput>>,
): readonly FormField[] {
  return Object.entries(inputs)
    .filter(([key]) => key !== CSRF_FIELD)
    .map(([key, input]) => formField(key, providerId, input ?? {}))
}

/** One field: the attributes that the application gave, and for all others the defaults that suit a sign-in. */
export function formField(key: string, providerId: string, input: CredentialInput): FormField {
  const type = typeof input.type === 'string' && input.type ? input.type.toLowerCase() : 'text'
  const attributes = new Map([
    ['name', key],
    ['type', type],
  ])
  for (const [name, value] of Object.entries({ ...defaults(key, type), ...lowerCased(input) })) {
    const text = attributeText(name, value)
    if (text !== null) attributes.set(name, text)
  }
  const isNew = attributes.get('autocomplete')?.split(' ').includes('new-password') ?? false
  return {
    id: elementId(typeof input.id === 'string' && input.id ? input.id : `input-${key}-for-${providerId}-provider`),
    label: typeof input.label === 'string' && input.label.trim() ? input.label : captionOf(key, type),
    layout: type === 'hidden' ? 'hidden' : type === 'checkbox' || type === 'radio' ? 'choice' : 'line',
    isPassword: attributes.get('autocomplete') === 'current-password' || (type === 'password' && !isNew),
    attributes: [...attributes],
  }
}

/** The id of an element, which has no blanks in HTML: `Full name` becomes `Full%20name`. */
export const elementId = (text: string): string => text.replace(/\s/g, encodeURIComponent)

/** Names of fields that applications give often, and whose caption is translated. */
const CAPTIONS: readonly (readonly [name: RegExp, key: TextKey])[] = [
  [/^e-?mail(?:[_-]?address)?$/i, 'field.email'],
  [/^(?:user(?:[_-]?name)?|login)$/i, 'field.username'],
  [/^(?:password|passwd|pass)$/i, 'field.password'],
  [/^new[_-]?password$/i, 'field.newPassword'],
  [/^(?:otp|totp|code|email[_-]?code)$/i, 'field.code'],
]

/** The caption of a field for which the application gives none: `firstName` becomes "First name", `user.pin` "User pin". */
function captionOf(name: string, type: string): Wording {
  const known = CAPTIONS.find(([pattern]) => pattern.test(name))?.[1]
  if (known) return pageText(known)
  if (type === 'password') return pageText('field.password')
  if (type === 'email') return pageText('field.email')
  const words = name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean)
    // An abbreviation stays one: `customerID` is "Customer ID".
    .map((word) => (/^\p{Lu}{2,}$/u.test(word) ? word : word.toLowerCase()))
    .join(' ')
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}

function defaults(key: string, type: string): Record<string, unknown> {
  if (type === 'password') return { autocomplete: 'current-password', required: true }
  if (type === 'email' || (type === 'text' && /^(?:user(?:_?name)?|login|e-?mail)$/i.test(key))) {
    return {
      autocomplete: type === 'email' ? 'email' : 'username',
      autocapitalize: 'none',
      spellcheck: false,
      required: true,
    }
  }
  if (/^(?:otp|totp)$/i.test(key)) return { autocomplete: 'one-time-code', inputmode: 'numeric' }
  return {}
}

// Configurations written for JSX say autoComplete and maxLength; HTML has no upper case.
const lowerCased = (input: CredentialInput): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [name.toLowerCase(), value]))

function attributeText(name: string, value: unknown): string | null {
  if (!ATTRIBUTE.test(name) || NOT_PASSED_ON.test(name)) return null
  if (typeof value === 'boolean') return SPELLED_OUT.test(name) ? String(value) : value ? '' : null
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** What a ticked checkbox without a value of its own sends. Pages that show a failure have it in their query. */
export const TICKED = 'on'

/** The others come from scripts. */
const VALUES: ReadonlySet<unknown> = new Set([TICKED, 'true', '1', true])

/** Whether the visitor ticked a checkbox. Any other value counts as not ticked, so a mistake lets nobody in for longer. */
export const isTicked = (fields: BodyFields, name: string): boolean =>
  Object.hasOwn(fields, name) && VALUES.has(fields[name])

/** Whether they want to stay signed in. How long the session lives is never read from a request. */
export const isRemembered = (fields: BodyFields): boolean => isTicked(fields, REMEMBER_FIELD)
