import { sha256Base64url } from '../../crypto/digest.js'
import { createValueEncryption } from '../../crypto/encrypted-values.js'
import { type CookieChange, clearCookie, setCookie, suffixed, suffixesOf } from '../../http/cookies.js'
import { oldestFirst } from '../../http/oldest-first.js'
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
  /** Whether the mark of a link may have been made with a secret that is not known here. */
  mayBeOfOtherKey(jar: Jar, link: Link): boolean
  /** Deletes the mark of a link, if the browser has it, and it was not made with a secret that is not known here. */
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
  const encryption = createValueEncryption(secrets, 'email-request', now)
  const idOf = ({ token, identifier }: Link) => sha256Base64url(JSON.stringify([provider, token, identifier]))
  const specOf = ({ specs }: Jar, id: string) => suffixed(specs.emailRequest, id.slice(0, SUFFIX_LENGTH))
  const read = async ({ cookies }: Jar, name: string) => {
    const sealed = cookies.get(name)
    return sealed === undefined ? null : ((await encryption.decrypt(sealed)) as Mark | null)
  }

  const isOfOtherKey = ({ cookies }: Jar, name: string) => encryption.mayBeOfOtherKey(cookies.get(name) ?? '')

  /** The marks beyond the four youngest, which the new one joins. */
  const surplus = async (jar: Jar): Promise<CookieChange[]> => {
    const { emailRequest } = jar.specs
    const names = suffixesOf(jar.cookies, emailRequest, /^[\w-]{8}$/).map(
      (suffix) => suffixed(emailRequest, suffix).name,
    )
    if (names.length < MAX_OPEN_REQUESTS) return []
    const dated = await Promise.all(
      names.map(async (name) => ({ name, begun: (await read(jar, name))?.t ?? (isOfOtherKey(jar, name) ? null : 0) })),
    )
    return oldestFirst(dated)
      .slice(0, names.length - MAX_OPEN_REQUESTS + 1)
      .map(({ name }) => clearCookie({ ...jar.specs.emailRequest, name }))
  }

  return {
    async mark(jar, link) {
      const id = idOf(link)
      const sealed = await encryption.encrypt({ i: id, t: now() } satisfies Mark, maxAge)
      return [...(await surplus(jar)), setCookie(specOf(jar, id), sealed, { maxAge: Math.floor(maxAge) })]
    },
    async isMarked(jar, link) {
      const id = idOf(link)
      return (await read(jar, specOf(jar, id).name))?.i === id
    },
    mayBeOfOtherKey: (jar, link) => isOfOtherKey(jar, specOf(jar, idOf(link)).name),
    clear(jar, link) {
      const spec = specOf(jar, idOf(link))
      return jar.cookies.has(spec.name) && !isOfOtherKey(jar, spec.name) ? [clearCookie(spec)] : []
    },
  }
}
