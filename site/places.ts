import { fileURLToPath } from 'node:url'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Root of the repository, with a slash at its end. */
export const ROOT = folder('../')
/** The folder of the site's own programs. */
export const SITE = folder('./')
/** The Markdown that VitePress reads. */
export const PAGES = folder('./.built/pages/')
/** The API reference among these pages. */
export const API = folder('./.built/pages/api/')
