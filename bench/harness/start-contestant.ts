import { Browser } from './browser.js'
import type { Contestant, SignIn } from './contestants.js'
import { nameOf } from './people.js'
import { type Server, startServer } from './server.js'

/** A running contestant and the cookies of the people who are signed in. */
export interface Started {
  readonly server: Server
  readonly cookies: readonly string[]
}

/** Starts a contestant and {@link admit}s people. */
export async function startContestant(contestant: Contestant, people: number): Promise<Started> {
  const server = await startServer(contestant.file, { options: contestant.options ?? {} })
  try {
    return { server, cookies: await admit(contestant, server, people) }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/**
 * Signs people in, and checks that the guarded route knows each from the others and lets nobody else in.
 *
 * @returns the cookies of each, as the header `Cookie`; none where nobody has to sign in
 * @throws {Error} when the contestant does not work as it should: its figures would be worth nothing
 */
export async function admit({ name, signIn }: Contestant, { origin }: Server, people: number): Promise<string[]> {
  if (!signIn) return []
  try {
    const cookies = await signInAll(origin, signIn, people)
    await verifyGuard(origin, cookies)
    return cookies
  } catch (error) {
    throw new Error(`${name} does not work as it should.`, { cause: error })
  }
}

async function signInAll(origin: string, signIn: SignIn, people: number): Promise<string[]> {
  const cookies: string[] = []
  let next = 0
  const work = async () => {
    const browser = new Browser()
    for (let person = next++; person < people; person = next++) {
      browser.forgetEverything()
      await signIn(browser, origin, person)
      cookies[person] = browser.cookiesFor(origin)
    }
    browser.close()
  }
  await Promise.all(Array.from({ length: Math.min(10, people) }, work))
  return cookies
}

async function verifyGuard(origin: string, cookies: readonly string[]): Promise<void> {
  const browser = new Browser()
  const sample = Math.max(1, Math.floor(cookies.length / 20))
  for (let person = 0; person < cookies.length; person += sample) {
    const { status, body } = await browser.get(`${origin}/hello`, cookies[person])
    if (status !== 200 || JSON.parse(body).hello !== nameOf(person)) {
      throw new Error(`${nameOf(person)} asked for /hello and got ${status}: ${body}`)
    }
  }
  const { status } = await browser.get(`${origin}/hello`, '')
  if (status !== 401 && status !== 302) throw new Error(`A stranger asked for /hello and got ${status}.`)
  browser.close()
}
