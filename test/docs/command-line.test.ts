import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { latchkey, latchkeyProcess } from '../support/command-line.js'
import { readText } from './documents.js'

const GUIDE = 'docs/guides/command-line.md'

/** As the application of the guide, without the build of the package: the provider is the compiled one of lib/. */
const MODULE = (more: string) =>
  `import GitHub from ${JSON.stringify(new URL('../../lib/providers/catalogue/github.ts', import.meta.url).href)}
export const config = { providers: [GitHub], ${more} }
`

describe(GUIDE, () => {
  const texts = [...readText(GUIDE).matchAll(/^```text\n(.*?)\n```$/gms)].map(([, text]) => text)
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-guide-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const report = async (more: string, variables: Record<string, string>) => {
    writeFileSync(join(folder, 'auth.js'), MODULE(more))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const tsx = import.meta.resolve('tsx')
    const { output, complaint } = await latchkeyProcess(
      ['doctor', '--offline'],
      { AUTH_URL: '', NODE_ENV: '', NODE_OPTIONS: `--import ${tsx}`, ...variables },
      folder,
    )
    return (output + complaint).trim().replace(process.version, 'v24.21.0')
  }

  it('shows the help as it is', async () => {
    expect(texts[0]).to.equal((await latchkey(['--help'])).output.trim())
  })

  it('shows what the command says about a faulty configuration', async () => {
    expect(texts[1]).to.equal(await report("session: { strategy: 'database' }", {}))
  })
})
