import { parseUrl } from '../kernel/urls.js'

/** An image that a page may show. */
export interface ImageSource {
  /** Value of `src`. */
  readonly src: string
  /** Origin that the content policy has to admit; null for this origin and for `data:` URLs. */
  readonly origin: string | null
}

const DATA_IMAGE = /^data:image\/[a-z\d.+-]{1,40}[;,]/i
const HOST = /^(?:[a-z\d-]+\.)*[a-z\d-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/
/** The origin against which paths are resolved: a path stays on it, and a URL of another host does not. */
const BASE = 'https://base.invalid'

/**
 * The image that an http(s) URL, a path or a `data:image/` URL names.
 *
 * @returns null for anything else, and for a URL that starts with `//`
 */
export function parseImageSource(value: unknown): ImageSource | null {
  if (typeof value !== 'string' || value === '') return null
  if (DATA_IMAGE.test(value)) return { src: value, origin: null }
  const url = parseUrl(value)
  if (url !== null) {
    const { protocol, host, origin, href } = url
    // A host may hold ";" and ",", which would end a directive of the content policy.
    const usable = (protocol === 'https:' || protocol === 'http:') && HOST.test(host)
    return usable ? { src: href, origin } : null
  }
  if (parseUrl(value, BASE)?.origin !== BASE) return null
  return { src: value, origin: null }
}
