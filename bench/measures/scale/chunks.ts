import type * as SessionCookie from '../../../dist/sessions/session-cookie.js'
import { loadLatchkey } from '../../harness/latchkey.js'
import { createMint, type Mint, SECRET, SESSION_COOKIE } from '../../loop/tokens.js'
import { loadInternal } from '../../subject.js'
import type { PointLoop } from './point.js'
import { visitInTurn } from './visitors.js'

/** Length of a token by the number of cookies that it fills. Four is the most that fits into the headers that Node accepts. */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [1, 600],
  [2, 7000],
  [3, 11_000],
  [4, 13_000],
])
const VISITORS = 400

/** Guards of applications that keep more and more in the token. */
export async function chunkLoops(): Promise<PointLoop[]> {
  const { requireAuth } = await loadLatchkey()
  const { writeSessionCookie } = await loadInternal<typeof SessionCookie>('sessions/session-cookie.js')
  const mint = await createMint(SECRET)
  const spec = { name: SESSION_COOKIE, attributes: {} }
  return [...LENGTHS].flatMap(([x, length]) => {
    const visitors = Array.from({ length: VISITORS }, (_, user) => {
      const written = writeSessionCookie(new Map(), spec, tokenOf(length, user, mint), {})
      if (written.length !== x) throw new Error(`${length} characters make ${written.length} cookies, not ${x}.`)
      return { user, cookie: written.map(({ name, value }) => `${name}=${value}`).join('; ') }
    })
    const guardWith = (tokenCacheSize: number) =>
      requireAuth({ providers: [], secret: SECRET, trustHost: true, session: { tokenCacheSize } })
    return [
      { series: 'cookies of a session', x, run: visitInTurn(guardWith(VISITORS * 2), visitors) },
      { series: 'cookies of a session, never seen', x, run: visitInTurn(guardWith(0), visitors) },
    ]
  })
}

/** A token of about that length, whose user is in many groups. */
function tokenOf(length: number, user: number, mint: Mint): string {
  const missing = length - mint(user).length
  // Base64 makes four characters of three, and a group takes 13 in JSON.
  const groups = Array.from({ length: Math.floor((missing * 0.75) / 13) }, (_, number) => `group-${1000 + number}`)
  return missing > 0 ? mint(user, { groups }) : mint(user)
}
