import { loadOnce } from '../awaitable.js'

/** The logos of providers by provider id, each as SVG path data for a box of 24 by 24. */
export type ProviderMarks = Readonly<Record<string, string>>

/** The marks of `views/marks.json`, loaded at the first call and kept for the process, as the templates are. */
export const loadMarks: () => Promise<ProviderMarks> = loadOnce(async () => {
  const { readMarks } = await import('./assets.js')
  return readMarks()
})
