import { sha256Base64url } from '../../crypto/digest.js'
import { createSealer } from '../../crypto/sealed.js'
import { type CookieChange, clearCookie, setCookie, suffixed, suffixesOf } from '../../http/cookies.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import type { FlowRequest } from '../flow.js'
import type { Link } from './link.js'

/** Links a browser may have asked for and not followed yet. */
const MAX_OPEN_REQUESTS = 5
const SUFFIX_LENGTH = 8

/** What a request brings and takes back. */
type Jar = Pick<FlowRequest, 'cookies' | 'specs'>

/** Knows a browser that asked for a link again, by a cookie that only a holder of one of the secrets can make. */
export interface AskingBrowser {
  /** Marks the browser; of more than five open links, the oldest are forgotten. */
  mark(jar: Jar, link: Link): Promise<readonly CookieChange[]>
  /** Whether this browser asked for the link. */
  isMarked(jar: Jar, link: Link): Promise<boolean>
  /** Deletes the mark of a link, if the browser has it. */
  clear(jar: Jar, link: Link): readonly CookieChange[]
}

/** What a cookie holds. */
interface Mark {
  /** Which link. */
  readonly i: string
  /** Asked at, in milliseconds since the epoch. */
  readonly t: number
}

/** The marks of one provider's links; they live as long as the links. */
export function createAskingBrowser(
  { id: provider, maxAge }: ResolvedEmailProvider,
  secrets: readonly string[],
  now: () => number,
): AskingBrowser {
  const sealer = createSealer(secrets, 'email-request', now)
  const idOf = ({ token, identifier }: Link) => sha256Base64url(JSON.stringify([provider, token, identifier]))
  const specOf = ({ specs }: Jar, id: string) => suffixed(specs.emailRequest, id.slice(0, SUFFIX_LENGTH))
  const read = async ({ cookies }: Jar, name: string) => {
    const sealed = cookies.get(name)
    return sealed === undefined ? null : ((await sealer.open(sealed)) as Mark | null)
  }

  /** The marks beyond the four youngest, which the new one joins. */
  const surplus = async (jar: Jar): Promise<CookieChange[]> => {
    const { emailRequest } = jar.specs
    const names = suffixesOf(jar.cookies, emailRequest, /^[\w-]{8}$/).map(
      (suffix) => suffixed(emailRequest, suffix).name,
    )
    if (names.length < MAX_OPEN_REQUESTS) return []
    const dated = await Promise.all(names.map(async (name) => ({ name, asked: (await read(jar, name))?.t ?? 0 })))
    return dated
      .sort((one, other) => one.asked - other.asked)
      .slice(0, names.length - MAX_OPEN_REQUESTS + 1)
      .map(({ name }) => clearCookie({ ...jar.specs.emailRequest, name }))
  }

  return {
    async mark(jar, link) {
      const id = idOf(link)
      const sealed = await sealer.seal({ i: id, t: now() } satisfies Mark, maxAge)
      return [...(await surplus(jar)), setCookie(specOf(jar, id), sealed, { maxAge: Math.floor(maxAge) })]
    },
    async isMarked(jar, link) {
      const id = idOf(link)
      return (await read(jar, specOf(jar, id).name))?.i === id
    },
    clear(jar, link) {
      const spec = specOf(jar, idOf(link))
      return jar.cookies.has(spec.name) ? [clearCookie(spec)] : []
    },
  }
}
