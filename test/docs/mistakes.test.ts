import { expect } from 'chai'
import { withEnv } from '../support/env.js'
import { readText } from './documents.js'
import { MISTAKES } from './mistakes.js'

describe('docs/guides/mistakes.md', () => {
  const sections = readText('docs/guides/mistakes.md')
    .split('\n## ')
    .flatMap((section) => {
      const [, heading = '', shown = ''] = /^(.+)\n.*^```text\n(.*?)\n```$/ms.exec(section) ?? []
      return heading === '' ? [] : [{ heading: heading.split('\n', 1)[0] ?? '', shown }]
    })

  it('has twenty-one mistakes, and all of them are made here', () => {
    expect(sections.map(({ heading }) => heading)).to.deep.equal(Object.keys(MISTAKES))
    expect(sections).to.have.length(21)
  })

  for (const { heading, shown } of sections) {
    it(`shows what really appears: ${heading}`, async () => {
      await withEnv({}, async () => {
        expect(await MISTAKES[heading]?.()).to.equal(shown)
      })
    })
  }
})
