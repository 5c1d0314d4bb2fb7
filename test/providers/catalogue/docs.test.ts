import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { index, pageIds, pageOf } from '../../../scripts/provider-docs.js'
import { catalogueIds, providerFacts } from '../../support/catalogue.js'

const DOCUMENTS = new URL('../../../docs/providers/', import.meta.url)
const AGAIN = 'run npx tsx scripts/provider-docs.ts'

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

  it("links each provider's own documentation, and names the callback URL and the environment", () => {
    for (const id of pageIds) {
      const page = read(`${id}.md`)
      expect(page).to.include(`/auth/callback/${id}\``)
      expect(page).to.include(`AUTH_${id.toUpperCase().replaceAll('-', '_')}_ID`)
      if (providerFacts.get(id)?.docs) expect(page, id).to.match(/<https:\/\/\S+>/)
    }
  })
})
