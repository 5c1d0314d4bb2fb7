import { COOKIES_OF_FEATURES } from '../../lib/compose.js'
import type { CookiesOptions } from '../../lib/config/options.js'
import { type CookieSpec, cookieSpecs as specsOf } from '../../lib/kernel/cookies.js'
import { COOKIES } from '../../lib/sign-in/cookies.js'

/** Every cookie of a configuration. That the keys are these is tested in `test/kernel/cookies.test.ts`. */
export const cookieSpecs = (secure: boolean, custom: Partial<CookiesOptions> = {}) =>
  specsOf<string>({ ...COOKIES, ...COOKIES_OF_FEATURES }, secure, custom) as Readonly<
    Record<keyof CookiesOptions, CookieSpec>
  >
