/** An image that a page may show. */
export interface ImageSource {
  /** Value of `src`. */
  readonly src: string
  /** Origin that the content policy has to admit; null for this origin and for `data:` URLs. */
  readonly origin: string | null
}

const DATA_IMAGE = /^data:image\/[a-z\d.+-]{1,40}[;,]/i
const HOST = /^(?:[a-z\d-]+\.)*[a-z\d-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/
const ELSEWHERE = 'https://elsewhere.invalid'

/**
 * The image named by an http(s) URL, a path or a `data:image/` URL.
 *
 * @returns null for anything else, a URL that starts with `//` included
 */
export function parseImageSource(value: unknown): ImageSource | null {
  if (typeof value !== 'string' || value === '') return null
  if (DATA_IMAGE.test(value)) return { src: value, origin: null }
  if (URL.canParse(value)) {
    const { protocol, host, origin, href } = new URL(value)
    // A host may hold ";" and ",", which would end a directive of the content policy.
    const usable = (protocol === 'https:' || protocol === 'http:') && HOST.test(host)
    return usable ? { src: href, origin } : null
  }
  if (!URL.canParse(value, ELSEWHERE) || new URL(value, ELSEWHERE).origin !== ELSEWHERE) return null
  return { src: value, origin: null }
}
