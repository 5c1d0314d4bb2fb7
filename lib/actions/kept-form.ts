import type { Visit } from '../context/visit.js'
import type { Entered } from '../flows/note.js'
import { isCrossSite } from '../http/csrf.js'
import { keptValues } from '../pages/kept-values.js'

/**
 * What was entered into a form that failed, without passwords. Undefined for a form of another site, and if there is nothing to
 * keep.
 */
export function enteredIn({ method, provider, fields, header, origin }: Visit): Entered | undefined {
  if (method !== 'POST' || provider === null || isCrossSite(header, origin)) return undefined
  const values = keptValues(provider.settings, fields)
  return Object.keys(values).length === 0 ? undefined : { provider: provider.settings.id, values }
}
