import { countBackChannel } from './back-channel.js'
import { Browser } from './browser.js'
import type { SignIn } from './contestants.js'
import { begin, type Extent } from './extent.js'
import type { Done } from './load.js'

/** Browsers that sign in at the same time. */
export const BROWSERS = 8

/** Has people sign in at one server, turn after turn, each time without a cookie of the application. */
export class SignInLoad {
  readonly #origin: string
  readonly #signIn: SignIn
  readonly #issuer: string | null
  readonly #browsers = Array.from({ length: BROWSERS }, () => new Browser())
  readonly #backChannel: number[] = []

  /** @param issuer the provider whose requests are counted; null where there is none */
  constructor(origin: string, signIn: SignIn, issuer: string | null) {
    this.#origin = origin
    this.#signIn = signIn
    this.#issuer = issuer
  }

  /** Requests of the application to the provider, per sign-in, turn by turn. */
  get backChannel(): readonly number[] {
    return this.#backChannel
  }

  /**
   * A turn of sign-ins.
   *
   * @throws {Error} when one of them does not end with a session
   */
  async run(extent: Extent): Promise<Done> {
    const before = await this.#countBackChannel()
    const start = performance.now()
    const mayGoOn = begin(extent)
    let times = 0
    await Promise.all(
      this.#browsers.map(async (browser, person) => {
        for (; mayGoOn(); times += 1) {
          browser.forget(this.#origin)
          await this.#signIn(browser, this.#origin, person)
        }
      }),
    )
    const seconds = (performance.now() - start) / 1000
    this.#backChannel.push(((await this.#countBackChannel()) - before) / times)
    return { times, seconds }
  }

  close(): void {
    for (const browser of this.#browsers) browser.close()
  }

  async #countBackChannel(): Promise<number> {
    return this.#issuer === null ? 0 : countBackChannel(this.#issuer)
  }
}
