import { loadOnce } from '../awaitable.js'
import type { ProviderMarks } from './provider-mark.js'

/** The marks of `views/marks.json`, loaded at the first call and kept for the process, as the templates are. */
export const loadMarks: () => Promise<ProviderMarks> = loadOnce(async () => {
  const { readMarks } = await import('./assets.js')
  return readMarks()
})
