import { expect } from 'chai'
import { type Running, startApp } from '../support/app.js'
import { elements, skeleton } from '../support/html.js'

const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  '</style><script>alert(1)</script>',
  '"onmouseover="alert(1)',
  'javascript:alert(1)',
  '<%= it.csrfToken %>',
  '{{constructor.constructor("alert(1)")()}}',
  '&lt;script&gt;',
  '\u2028</script>',
]

const NAMES =
  'error code email callbackUrl provider type csrfToken theme providers host title message page layout it'.split(' ')

describe('the built-in pages', () => {
  let app: Running
  before(async () => {
    app = await startApp()
  })
  after(() => app.close())

  for (const page of ['signin', 'signout', 'error', 'verify-request']) {
    it(`WEB-03: ${page} keeps script in any parameter text, under any name (CVE-2025-71404)`, async () => {
      const visitor = app.visitor()
      // With the messages that these names can lead to, and no others.
      const known = new Set<string>()
      for (const query of ['', '?error=x', '?error=CredentialsSignin&code=x', '?error=AccessDenied']) {
        known.add(skeleton((await visitor.get(`/auth/${page}${query}`)).text).join())
      }
      for (const name of NAMES) {
        for (const payload of PAYLOADS) {
          const { status, text } = await visitor.get(`/auth/${page}?${new URLSearchParams({ [name]: payload })}`)
          expect(status, `${name}=${payload}`).to.equal(200)
          expect(known.has(skeleton(text).join()), `${name}=${payload}`).to.equal(true)
          expect(text, name).to.not.contain('alert(1)</script>')
        }
      }
    })

    it(`WEB-01: ${page} allows no script but its own, no frame and no other host`, async () => {
      const { headers, text } = await app.visitor().get(`/auth/${page}`)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy)
        .to.contain("default-src 'none'")
        .and.to.contain("frame-ancestors 'none'")
        .and.to.contain("base-uri 'none'")
      expect(policy).to.not.contain('unsafe')
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      for (const name of ['script', 'link', 'img', 'iframe']) {
        for (const element of elements(text, name)) {
          const address = element.get('src') ?? element.get('href') ?? ''
          expect(address, name).to.not.match(/^(https?:)?\/\//)
        }
      }
      expect(text).to.not.match(/\son[a-z]+=/i)
    })

    it(`WEB-01: ${page} has a new nonce each time`, async () => {
      const nonces = [await app.visitor().get(`/auth/${page}`), await app.visitor().get(`/auth/${page}`)].map(
        ({ headers }) => /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1],
      )
      expect(nonces[0]).to.be.a('string').that.is.not.equal(nonces[1])
    })
  }

  it('OAUTH-07: send the URL of a callback to no other site', async () => {
    const { headers } = await app.visitor().get('/auth/error?error=Verification')
    expect(headers.get('referrer-policy')).to.equal('no-referrer')
  })
})
