import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import type { PageProvider } from '../../lib/pages/provider-forms.js'
import { createPageRenderer, type RenderedPage } from '../../lib/pages/renderer.js'
import { signInPage } from '../../lib/pages/signin.js'
import { signOutPage } from '../../lib/pages/signout.js'
import { inEnglish } from '../../lib/pages/texts/words.js'
import type { SignInView } from '../../lib/pages/view.js'
import { skeleton } from '../support/html.js'
import { pageSamples } from '../support/page-samples.js'

const samples = pageSamples('https://app.example')

/** Both pages that show data, with one text in every place that can hold one. */
async function pagesWith(text: string): Promise<string> {
  const providers: PageProvider[] = [
    { id: text, name: text, type: 'oauth', style: { brandColor: `${text};`, logo: `javascript:${text}` } },
    {
      id: text,
      name: `Acme ${text}`,
      type: 'credentials',
      fields: {
        [`key ${text}`]: { label: `label ${text}`, placeholder: text, value: text, title: text, id: `id ${text}` },
        second: { autocomplete: text, pattern: text },
        box: { type: 'checkbox', label: `box ${text}` },
      },
    },
    { id: text, name: text, type: 'email' },
    { id: text, name: text, type: 'webauthn', formFields: { [`key ${text}`]: {} } },
  ]
  const form = { csrfToken: text, callbackUrl: text, host: `host ${text}`, insecure: false }
  const urls = { signIn: (id: string) => `/signin/${id}`, callback: (id: string) => `/callback/${id}` }
  const query = { error: `error ${text}`, code: text, email: text }
  const renderer = createPageRenderer({
    theme: { brandColor: `${text};`, buttonText: `${text};`, logo: `javascript:${text}` },
  })
  const view = signInPage({ providers, urls, ...query, ...form })
  const signIn = await renderer.render(view)
  const pattern = {}
  await renderer.render({ ...view, csrfToken: '', callbackUrl: '', pattern })
  const filledIn = await renderer.render({ ...view, pattern })
  const signOut = await renderer.render(signOutPage({ action: text, ...form }))
  return signIn.html + filledIn.html + signOut.html
}

/** The one script that a page may have, at its one place. */
const SUBMITS_ITSELF = /<script nonce="[^"]+">document\.forms\[0\]\.submit\(\)<\/script>/
/** The script of the button that adds a passkey. */
const ADDS_PASSKEYS = /<script src="[^"]+\/assets\/passkey-buttons\.js\?lang=[\w-]+" nonce="[\w+/=-]+" defer><\/script>/

/** Of forms about passwords and addresses: it keeps them from being sent twice, and shows what is typed. */
const OF_FORMS = /<script nonce="[^"]+">\s*const form = [^<]*<\/script>/
const PASSKEY_SCRIPT =
  /<script type="module" nonce="[\w-]{22}" src="(?:https:\/\/app\.example\/auth)?\/assets\/passkey\.[\w-]{22}\.js"><\/script>/g

const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '" autofocus onfocus="alert(1)',
  '</style><script>alert(1)</script>',
  '</title><svg onload=alert(1)>',
  '--><script>alert(1)</script>',
  ']]><script>alert(1)</script>',
  '<%= 7 * 191 %>',
  '<%~ process.version %>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a payload
  '`${7 * 191}`',
  '{{7*191}}',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  'javascript:alert(1)',
  '\u2028</script>\u0000<script>',
  '<ScRiPt/x>alert(1)//',
]

describe('createPageRenderer', () => {
  describe('headers', () => {
    it('confine the page: nothing but its own style, images, and forms', async () => {
      const { headers } = await createPageRenderer({ theme: {} }).render({
        ...samples.signin?.view,
        insecure: false,
      } as never)
      const nonce = /nonce-([\w-]{22})/.exec(headers['content-security-policy'] ?? '')?.[1]
      expect(headers).to.deep.equal({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'private, no-cache, no-store',
        expires: '0',
        pragma: 'no-cache',
        vary: 'Cookie',
        'content-security-policy': `default-src 'none';style-src 'nonce-${nonce}';img-src 'self' data:;form-action 'self' https:;base-uri 'none';frame-ancestors 'none'`,
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
    })

    it('admit plain http as the target of a form only where the page is on http', async () => {
      const { headers } = await createPageRenderer({ theme: {} }).render({
        ...samples.signout?.view,
        insecure: true,
      } as never)
      expect(headers['content-security-policy']).to.include("form-action 'self' https: http:;")
    })

    it('admit the host of a logo, and no other', async () => {
      const { headers } = await createPageRenderer({ theme: { logo: 'https://cdn.example/l.svg' } }).render(
        samples.signin?.view as never,
      )
      expect(headers['content-security-policy']).to.include("img-src 'self' data: https://cdn.example;")
    })

    for (const name of ['verify-request', 'error-denied', 'refusal-404']) {
      it(`tell no referrer and allow no form on ${name}`, async () => {
        const { headers } = await createPageRenderer({ theme: {} }).render(samples[name]?.view as never)
        expect(headers['referrer-policy']).to.equal('no-referrer')
        expect(headers['content-security-policy']).to.include("form-action 'none'")
      })
    }

    it('leave HSTS to the application', async () => {
      const { headers } = await createPageRenderer({ theme: {} }).render(samples.signin?.view as never)
      expect(Object.keys(headers)).to.not.include('strict-transport-security')
    })
  })

  it('gives every page a nonce of its own, the same in header and page', async () => {
    const renderer = createPageRenderer({ theme: {} })
    const nonces = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { html, headers } = await renderer.render(samples.signin?.view as never)
        const nonce = /nonce-([\w-]+)/.exec(headers['content-security-policy'] ?? '')?.[1] ?? ''
        const used = Array.from(html.matchAll(/<style nonce="([^"]+)"/g), ([, value]) => value)
        expect(used).to.deep.equal([nonce, nonce])
        return nonce
      }),
    )
    expect(new Set(nonces).size).to.equal(20)
  })

  it('gives a page of a known pattern what its visitor has of their own, and a new nonce', async () => {
    const view = { ...(samples.signin?.view as SignInView), pattern: {} }
    const renderer = createPageRenderer({ theme: {} })
    await renderer.render({ ...view, csrfToken: 'of somebody else', callbackUrl: 'https://app.example/theirs' })
    const own = { ...view, csrfToken: '0123abc', callbackUrl: 'https://app.example/mine?a=ä&b="2"' }
    const [known, anew] = [await renderer.render(own), await renderer.render({ ...own, pattern: {} })]
    const nonceIn = ({ html }: RenderedPage) => /nonce="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(known.html)
      .to.include('value="0123abc"')
      .and.include('value="https://app.example/mine?a=ä&amp;b=&quot;2&quot;"')
    expect(known.html).to.not.match(/somebody|theirs/)
    expect([known.byteLength, anew.byteLength]).to.deep.equal([known, anew].map(({ html }) => Buffer.byteLength(html)))
    expect(nonceIn(known)).to.not.equal(nonceIn(anew))
    expect(known.headers['content-security-policy']).to.include(`'nonce-${nonceIn(known)}'`)
    expect(known.html.replaceAll(nonceIn(known), '')).to.equal(anew.html.replaceAll(nonceIn(anew), ''))
  })

  it('has no script but those of passkeys, of forms about passwords and addresses, and of the way to a provider, no inline style, no handler and no other host on any page', async () => {
    for (const [name, { view, theme }] of Object.entries(samples)) {
      const rendered = await createPageRenderer({ theme: theme ?? {} }).render(view)
      const html = rendered.html
        .replace(PASSKEY_SCRIPT, '')
        .replace(SUBMITS_ITSELF, '')
        .replace(OF_FORMS, '')
        .replace(ADDS_PASSKEYS, '')
      const hasScript =
        view.page === 'provider-logout' ||
        (view.page === 'signin' && view.scriptMount !== null) ||
        view.page === 'form' ||
        (view.page === 'account' && view.passkeyScript !== null)
      expect(html !== rendered.html, name).to.equal(hasScript)
      expect(html, name).to.not.match(/<script|<link|<base|<iframe|\sstyle=|\son[a-z]+=|url\(|@import/i)
      const addresses = Array.from(
        html.matchAll(/\s(?:src|href|action)="(https?:[^"]*)"/g),
        ([, url = '']) => new URL(url).host,
      )
      expect(new Set([...addresses, 'app.example']), name).to.deep.equal(new Set(['app.example']))
    }
  })

  it('has one title, one heading and one main landmark on every page, in a language', async () => {
    for (const [name, { view }] of Object.entries(samples)) {
      const { html } = await createPageRenderer({ theme: {} }).render(view)
      expect(html, name).to.match(/^<!doctype html>\n<html lang="en">/)
      for (const tag of ['title', 'h1', 'main']) expect(html.split(`<${tag}`).length, `${tag} of ${name}`).to.equal(2)
      const site = ('host' in view && view.host) || 'this site'
      expect(html, name).to.include(`<title>${inEnglish(view.title).replace('{site}', site)}</title>`)
    }
  })

  it('follows the system, or the scheme that the theme forces', async () => {
    const styles = async (colorScheme: 'auto' | 'dark' | 'light') => {
      const { html } = await createPageRenderer({ theme: { colorScheme } }).render(samples.signout?.view as never)
      return Array.from(html.matchAll(/<style nonce="[^"]+"([^>]*)>/g), ([, media = '']) => media.trim())
    }
    expect(await styles('auto')).to.deep.equal(['', 'media="(prefers-color-scheme: dark)"'])
    expect(await styles('dark')).to.deep.equal(['', ''])
    expect(await styles('light')).to.deep.equal([''])
  })

  describe('whatever the data', () => {
    for (const payload of PAYLOADS) {
      it(`${JSON.stringify(payload)} stays text in every field`, async () => {
        const page = await pagesWith(payload)
        expect(skeleton(page)).to.deep.equal(skeleton(await pagesWith('harmless')))
        expect(page.replace(PASSKEY_SCRIPT, '')).to.not.match(/<script|<img|1337/i)
      })
    }

    it('has the same elements and attributes', async () => {
      const harmless = skeleton(await pagesWith('harmless'))
      const text = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '=', ' ', 'a', '%', '/') }),
      )
      await fc.assert(
        fc.asyncProperty(text, async (data) => {
          expect(skeleton(await pagesWith(data))).to.deep.equal(harmless)
        }),
        { numRuns: 150 },
      )
    })
  })
})

describe('views/', () => {
  const VIEWS = new URL('../../views/', import.meta.url)

  it('print nothing unescaped but other templates', async () => {
    for (const file of await readdir(VIEWS, { recursive: true })) {
      if (!file.endsWith('.eta')) continue
      const text = await readFile(new URL(file, VIEWS), 'utf8')
      const raw = Array.from(text.matchAll(/<%[-_]?\s*~\s*(.*?)\s*[-_]?%>/gs), ([, expression]) => expression)
      for (const expression of raw)
        expect(expression, file).to.match(/^(?:include\('@[^%]*\)|it\.body|it\.mark\([^%]*\))$/)
    }
  })

  it('quote every attribute that holds data', async () => {
    for (const file of await readdir(VIEWS, { recursive: true })) {
      if (!file.endsWith('.eta')) continue
      expect(await readFile(new URL(file, VIEWS), 'utf8'), file).to.not.match(/=\s*(?:'\s*)?<%/)
    }
  })
})

describe('lib/pages', () => {
  it('loads Eta and Helmet with the first page, not before', async () => {
    const folder = new URL('../../lib/pages/', import.meta.url)
    for (const file of await readdir(folder, { recursive: true })) {
      if (!file.endsWith('.ts')) continue
      expect(await readFile(new URL(file, folder), 'utf8'), file).to.not.match(
        /^import(?! type).*from '(?:eta|helmet)/m,
      )
    }
  })
})
