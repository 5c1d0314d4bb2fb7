import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import { LEFT_OUT, pageIds, providerPages } from '../../../scripts/provider-docs.js'
import { catalogueIds, knownIds, providerFacts } from '../../support/catalogue.js'

/** Modules beside the identity providers there: other ways to sign in, mail services, and helpers. */
const NO_IDENTITY_PROVIDERS = new Set(
  `credentials email forwardemail index loops mailgun nodemailer oauth passkey postmark provider-types resend sendgrid
  webauthn`.split(/\s+/),
)

describe('the pages of the providers', () => {
  const pages = new Map<string, string>()
  const read = (name: string) => pages.get(`docs/providers/${name}`) ?? ''

  before(async () => {
    for (const { path, text } of await providerPages()) pages.set(path, text)
  })

  it('are one for each entry, and a list of them', () => {
    expect([...pageIds]).to.deep.equal(catalogueIds)
    const expected = ['README', ...catalogueIds].map((id) => `docs/providers/${id}.md`)
    expect([...pages.keys()].sort()).to.deep.equal(expected.sort())
  })

  it('have every provider that is known, or say why it is left out', () => {
    const leftOut = Object.keys(LEFT_OUT)
    expect([...catalogueIds, ...leftOut].sort()).to.deep.equal(knownIds)
    const [, section = ''] = read('README.md').split('## Left out')
    expect(section.match(/^- /gm)).to.have.length(leftOut.length)
    for (const { name, reason } of Object.values(LEFT_OUT)) expect(section).to.include(`- ${name}: ${reason}.`)
  })

  it('have every provider of @auth/core, or say why it is left out', () => {
    const folder = new URL('../../../node_modules/@auth/core/providers/', import.meta.url)
    const theirs = readdirSync(folder)
      .filter((file) => file.endsWith('.js'))
      .map((file) => file.slice(0, -3))
      .filter((id) => !NO_IDENTITY_PROVIDERS.has(id))
    expect(theirs.filter((id) => !knownIds.includes(id))).to.deep.equal([])
  })

  it("link each provider's own documentation, and name the callback URL and the environment", () => {
    for (const id of pageIds) {
      const page = read(`${id}.md`)
      expect(page).to.include(`/auth/callback/${id}\``)
      expect(page).to.include(`AUTH_${id.toUpperCase().replaceAll('-', '_')}_ID`)
      if (providerFacts.get(id)?.docs) expect(page, id).to.match(/<https:\/\/\S+>/)
    }
  })
})
