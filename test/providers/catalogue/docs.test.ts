import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { index, LEFT_OUT, pageIds, pageOf } from '../../../scripts/provider-docs.js'
import { catalogueIds, knownIds, providerFacts } from '../../support/catalogue.js'

const DOCUMENTS = new URL('../../../docs/providers/', import.meta.url)
const AGAIN = 'run npx tsx scripts/provider-docs.ts'

/** Modules beside the identity providers there: other ways to sign in, mail services, and helpers. */
const NO_IDENTITY_PROVIDERS = new Set(
  `credentials email forwardemail index loops mailgun nodemailer oauth passkey postmark provider-types resend sendgrid
  webauthn`.split(/\s+/),
)

const read = (name: string): string => readFileSync(new URL(name, DOCUMENTS), 'utf8')

describe('docs/providers', () => {
  it('has a page for each entry, and the list of them', () => {
    expect([...pageIds], AGAIN).to.deep.equal(catalogueIds)
    expect(readdirSync(DOCUMENTS).sort(), AGAIN).to.deep.equal(
      ['README.md', ...catalogueIds.map((id) => `${id}.md`)].sort(),
    )
  })

  it('says what the entries say', async () => {
    for (const id of pageIds) expect(read(`${id}.md`), AGAIN).to.equal(await pageOf(id))
    expect(read('README.md'), AGAIN).to.equal(await index())
  })

  it('has every provider that is known, or says why it is left out', () => {
    const leftOut = Object.keys(LEFT_OUT)
    expect([...catalogueIds, ...leftOut].sort()).to.deep.equal(knownIds)
    const [, section = ''] = read('README.md').split('## Left out')
    expect(section.match(/^- /gm)).to.have.length(leftOut.length)
    for (const { name, reason } of Object.values(LEFT_OUT)) expect(section).to.include(`- ${name}: ${reason}.`)
  })

  it('has every provider of @auth/core, or says why it is left out', () => {
    const folder = new URL('../../../node_modules/@auth/core/providers/', import.meta.url)
    const theirs = readdirSync(folder)
      .filter((file) => file.endsWith('.js'))
      .map((file) => file.slice(0, -3))
      .filter((id) => !NO_IDENTITY_PROVIDERS.has(id))
    expect(theirs.filter((id) => !knownIds.includes(id))).to.deep.equal([])
  })

  it("links each provider's own documentation, and names the callback URL and the environment", () => {
    for (const id of pageIds) {
      const page = read(`${id}.md`)
      expect(page).to.include(`/auth/callback/${id}\``)
      expect(page).to.include(`AUTH_${id.toUpperCase().replaceAll('-', '_')}_ID`)
      if (providerFacts.get(id)?.docs) expect(page, id).to.match(/<https:\/\/\S+>/)
    }
  })
})
